//! Patterns for host names.

use std::fmt;
use std::str::FromStr;

/// A pattern for host names: one name, or all names below one.
///
/// `hooks.example.com` matches only that name. `*.example.com` matches every name below
/// `example.com`, at any depth, but not `example.com` itself. Case and a trailing dot are ignored.
/// Names are compared in the form that the URL parser gives them (punycode).
///
/// ```
/// let below: delivery::HostPattern = "*.example.com".parse()?;
/// assert!(below.matches("a.b.Example.com."));
/// assert!(!below.matches("example.com"));
/// assert!(!below.matches("badexample.com"));
/// # Ok::<(), delivery::HostPatternError>(())
/// ```
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct HostPattern {
    name: String,
    below: bool,
}

impl HostPattern {
    /// Returns whether a host name matches.
    #[must_use]
    pub fn matches(&self, host: &str) -> bool {
        let host = host.strip_suffix('.').unwrap_or(host);
        if !self.below {
            return host.eq_ignore_ascii_case(&self.name);
        }
        let Some(cut) = host.len().checked_sub(self.name.len()) else {
            return false;
        };
        match (host.get(..cut), host.get(cut..)) {
            (Some(head), Some(tail)) => {
                head.len() > 1 && head.ends_with('.') && tail.eq_ignore_ascii_case(&self.name)
            }
            _ => false,
        }
    }
}

impl FromStr for HostPattern {
    type Err = HostPatternError;

    /// # Errors
    ///
    /// [`HostPatternError`] unless the text is a host name, with or without `*.` before it.
    fn from_str(text: &str) -> Result<Self, HostPatternError> {
        let (name, below) = match text.strip_prefix("*.") {
            Some(rest) => (rest, true),
            None => (text, false),
        };
        let name = name.strip_suffix('.').unwrap_or(name);
        match url::Host::parse(name) {
            Ok(url::Host::Domain(name)) if !name.contains('*') => Ok(Self { name, below }),
            _ => Err(HostPatternError(text.to_owned())),
        }
    }
}

impl fmt::Display for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.below { "*." } else { "" }, self.name)
    }
}

/// The text is neither a host name nor `*.` and a host name.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("host pattern {0:?} is neither a host name nor `*.` and a host name")]
pub struct HostPatternError(String);
