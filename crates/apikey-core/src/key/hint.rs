use std::fmt;
use std::str::FromStr;

use super::lookup::LookupId;
use super::prefix::Prefix;

/// The maximum length in characters: space for our own form and for the masked keys of an older
/// system.
const MAX_CHARS: usize = 64;

/// The number of characters of the public id in our own masked form.
const SHOWN_OF_ID: usize = 8;

/// The masked form of a key, for example `acme_live_AbCdEfGh…`: its owner can distinguish keys by
/// it, and it contains nothing of the secret. 1 to 64 characters, no control characters.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct KeyHint(Box<str>);

impl KeyHint {
    /// Creates the masked form of a Gatepost key: its prefix and the first eight characters of its
    /// public id.
    #[must_use]
    pub fn new(prefix: &Prefix, id: &LookupId) -> Self {
        Self::from_parts(prefix.as_str(), id)
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn from_parts(prefix: &str, id: &LookupId) -> Self {
        let shown: String = id.as_str().chars().take(SHOWN_OF_ID).collect();
        Self(format!("{prefix}_{shown}…").into())
    }
}

/// The reason why a text is not a [`KeyHint`].
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HintError {
    /// The text contains a control character.
    #[error("key hint must not hold control characters")]
    Control,
    /// The text is empty or longer than 64 characters.
    #[error("key hint must be 1 to 64 characters long")]
    Length,
}

impl FromStr for KeyHint {
    type Err = HintError;

    fn from_str(text: &str) -> Result<Self, HintError> {
        check(text)?;
        Ok(Self(text.into()))
    }
}

impl TryFrom<String> for KeyHint {
    type Error = HintError;

    fn try_from(text: String) -> Result<Self, HintError> {
        check(&text)?;
        Ok(Self(text.into()))
    }
}

impl fmt::Display for KeyHint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn check(text: &str) -> Result<(), HintError> {
    if text.is_empty() || text.chars().nth(MAX_CHARS).is_some() {
        Err(HintError::Length)
    } else if text.contains(char::is_control) {
        Err(HintError::Control)
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_shows_the_prefix_and_half_of_the_public_id() {
        let id = "AbCdEfGh12345678".parse().unwrap();
        let hint = KeyHint::new(&"acme_live".parse().unwrap(), &id);
        assert_eq!(hint.as_str(), "acme_live_AbCdEfGh…");
        assert_eq!(hint.to_string(), hint.as_str());
        assert_eq!(hint.as_str().parse(), Ok(hint));
    }

    #[test]
    fn hints_of_an_older_system_are_bounded() {
        assert_eq!("".parse::<KeyHint>(), Err(HintError::Length));
        assert!("…".repeat(64).parse::<KeyHint>().is_ok());
        assert_eq!("x".repeat(65).parse::<KeyHint>(), Err(HintError::Length));
        assert_eq!("sk\n1".parse::<KeyHint>(), Err(HintError::Control));
    }
}
