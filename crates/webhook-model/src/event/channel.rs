//! Channels, which narrow the webhooks that receive an occurrence.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use gatepost_ids::trim_pasted;

use crate::error::{Field, Invalid};

/// The maximum number of channels of a webhook.
pub const MAX_CHANNELS: usize = 10;
const RULE: &str = "must be 1 to 64 letters, digits, -, _ and .";
const APART: &str = "must be separated by commas, not by blanks";

/// The name of a channel, such as `project-7`: 1 to 64 letters, digits, `-`, `_` and `.`,
/// case-sensitive.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Channel(Box<str>);

impl Channel {
    /// Returns the name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Channel {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        match is_name(text) {
            true => Ok(Self(text.into())),
            false => Err(Invalid::new(Field::Channel, RULE)),
        }
    }
}

impl fmt::Display for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The channels of a webhook: at most [`MAX_CHANNELS`], without duplicates and in order of text.
/// Clones share them. A webhook with channels receives only occurrences in one of them; a webhook
/// without channels receives all.
///
/// As text they are separated by commas or line breaks:
///
/// ```
/// use webhook_model::Channels;
/// let channels: Channels = "project-7, billing".parse()?;
/// assert!(channels.include(Some(&"billing".parse()?)) && !channels.include(None));
/// assert_eq!(channels.to_string(), "billing, project-7");
/// assert!(Channels::default().include(None));
/// # Ok::<(), webhook_model::Invalid>(())
/// ```
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Channels(Option<Arc<[Channel]>>);

impl Channels {
    /// Returns whether a webhook with these channels receives an occurrence with this channel or
    /// none.
    #[must_use]
    pub fn include(&self, channel: Option<&Channel>) -> bool {
        match (&self.0, channel) {
            (None, _) => true,
            (Some(listed), Some(channel)) => listed.contains(channel),
            (Some(_), None) => false,
        }
    }

    /// Returns the channels.
    pub fn iter(&self) -> impl Iterator<Item = &Channel> {
        self.0.iter().flat_map(|listed| listed.iter())
    }

    /// Returns whether the list is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }
}

impl FromStr for Channels {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let names = text.split([',', '\n']).map(trim_pasted);
        let mut channels = Vec::new();
        for name in names.filter(|name| !name.is_empty()) {
            if !is_name(name) {
                // With two names it would be ambiguous whether one channel was meant, which never
                // occurs.
                let rule = match name.contains(char::is_whitespace) {
                    true => APART.to_owned(),
                    false => format!("each {RULE}"),
                };
                return Err(Invalid::new(Field::Channels, rule));
            }
            channels.push(Channel(name.into()));
            if channels.len() > 10 * MAX_CHANNELS {
                break;
            }
        }
        channels.sort();
        channels.dedup();
        if channels.len() > MAX_CHANNELS {
            let rule = format!("must be at most {MAX_CHANNELS}");
            return Err(Invalid::new(Field::Channels, rule));
        }
        Ok(Self((!channels.is_empty()).then(|| channels.into())))
    }
}

impl fmt::Display for Channels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, channel) in self.iter().enumerate() {
            f.write_str(if n == 0 { "" } else { ", " })?;
            f.write_str(channel.as_str())?;
        }
        Ok(())
    }
}

fn is_name(text: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || b"-_.".contains(&b);
    (1..=64).contains(&text.len()) && text.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_are_at_most_ten_short_unique_names() {
        let long = "x".repeat(64);
        for good in ["a", "Project-7", "a.b_c", &long] {
            assert_eq!(good.parse::<Channel>().unwrap().as_str(), good);
        }
        for wrong in ["", "a b", "a,b", "é", "a/b", "${NAME}", &format!("{long}x")] {
            assert_eq!(
                wrong.parse::<Channel>().unwrap_err().rule(),
                RULE,
                "{wrong}"
            );
        }
        let channels: Channels = " b,a  ,b\na ".parse().unwrap();
        let apart = "a b".parse::<Channels>().unwrap_err();
        assert_eq!(apart.rule(), "must be separated by commas, not by blanks");
        assert_eq!(channels.to_string(), "a, b");
        assert_eq!(channels.to_string().parse(), Ok(channels));
        assert_eq!(" , ".parse(), Ok(Channels::default()));
        let list = |count: usize| {
            let names: Vec<_> = (0..count).map(|n| n.to_string()).collect();
            names.join(",").parse::<Channels>()
        };
        assert!(list(10).is_ok());
        assert_eq!(list(11).unwrap_err().rule(), "must be at most 10");
        assert!(list(100_000).is_err());
        let wrong = "a, b/c".parse::<Channels>().unwrap_err();
        assert_eq!(wrong.field(), Field::Channels);
        assert!(wrong.rule().starts_with("each must be 1 to 64"));
    }

    #[test]
    fn channels_receive_only_listed_or_all_if_empty() {
        let (a, b): (Channel, Channel) = ("a".parse().unwrap(), "b".parse().unwrap());
        let listed: Channels = "a".parse().unwrap();
        assert!(listed.include(Some(&a)) && !listed.include(Some(&b)) && !listed.include(None));
        let all = Channels::default();
        assert!(all.include(Some(&a)) && all.include(None) && all.is_empty());
    }
}
