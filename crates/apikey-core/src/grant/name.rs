//! Names of tables and scopes that a key may be narrowed to.

use std::fmt;
use std::str::FromStr;

/// The maximum length of a name in bytes.
const MAX_NAME: usize = 64;

/// A table of the API: a lower-case letter, then lower-case letters, digits and `_`; at most 64.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct TableName(Box<str>);

/// A scope of the platform's own routes, such as `billing:read`: a lower-case letter, then
/// lower-case letters, digits and `_ . : / -`; at most 64. Each is a scope token of RFC 6749 §3.3.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct ScopeName(Box<str>);

/// The reason why a text is not a [`TableName`] or a [`ScopeName`].
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GrantNameError {
    /// It is not a scope.
    #[error("must name scopes by 1 to 64 lower-case letters, digits and _.:/-, a letter first")]
    Scope,
    /// It is not a table.
    #[error("must name tables by 1 to 64 lower-case letters, digits and _, a letter first")]
    Table,
}

/// Returns whether a text begins with a letter, and consists of letters, digits and these bytes.
fn is_name(text: &str, also: &[u8]) -> bool {
    text.len() <= MAX_NAME
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || also.contains(&b))
}

macro_rules! name {
    ($name:ident, $error:expr, $also:expr) => {
        impl $name {
            /// Returns the name.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = GrantNameError;

            fn from_str(text: &str) -> Result<Self, GrantNameError> {
                is_name(text, $also)
                    .then(|| Self(text.into()))
                    .ok_or($error)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        /// Looked up by its text in a sorted set: both have one order.
        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
    };
}

name!(TableName, GrantNameError::Table, b"_");
name!(ScopeName, GrantNameError::Scope, b"_.:/-");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_of_few_letters() {
        let long = "a".repeat(MAX_NAME);
        for good in ["a", "webhook_urls", "v2", &long] {
            assert_eq!(good.parse::<TableName>().unwrap().as_str(), good);
            assert_eq!(good.parse::<ScopeName>().unwrap().as_str(), good);
        }
        let longer = format!("{long}a");
        for bad in [
            "", "A", "2a", "_a", "a b", "a,b", "ä", "a\n", "a\"", &longer,
        ] {
            assert_eq!(bad.parse::<TableName>(), Err(GrantNameError::Table));
            assert_eq!(bad.parse::<ScopeName>(), Err(GrantNameError::Scope));
        }
        for scope in ["billing:read", "a.b/c-d"] {
            assert!(scope.parse::<ScopeName>().is_ok());
            assert!(scope.parse::<TableName>().is_err());
        }
    }
}
