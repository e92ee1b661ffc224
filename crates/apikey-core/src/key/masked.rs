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
pub struct MaskedKey(Box<str>);

impl MaskedKey {
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

/// The reason why a text is not a [`MaskedKey`].
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MaskedKeyError {
    /// The text contains a control character.
    #[error("key masked must not hold control characters")]
    Control,
    /// The text is empty or longer than 64 characters.
    #[error("key masked must be 1 to 64 characters long")]
    Length,
}

impl FromStr for MaskedKey {
    type Err = MaskedKeyError;

    fn from_str(text: &str) -> Result<Self, MaskedKeyError> {
        check(text)?;
        Ok(Self(text.into()))
    }
}

impl TryFrom<String> for MaskedKey {
    type Error = MaskedKeyError;

    fn try_from(text: String) -> Result<Self, MaskedKeyError> {
        check(&text)?;
        Ok(Self(text.into()))
    }
}

impl fmt::Display for MaskedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn check(text: &str) -> Result<(), MaskedKeyError> {
    if text.is_empty() || text.chars().nth(MAX_CHARS).is_some() {
        Err(MaskedKeyError::Length)
    } else if text.contains(char::is_control) {
        Err(MaskedKeyError::Control)
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masked_key_shows_prefix_and_half_public_id() {
        let id = "AbCdEfGh12345678".parse().unwrap();
        let masked = MaskedKey::new(&"acme_live".parse().unwrap(), &id);
        assert_eq!(masked.as_str(), "acme_live_AbCdEfGh…");
        assert_eq!(masked.to_string(), masked.as_str());
        assert_eq!(masked.as_str().parse(), Ok(masked));
    }

    #[test]
    fn masked_key_of_older_system_is_bounded() {
        assert_eq!("".parse::<MaskedKey>(), Err(MaskedKeyError::Length));
        assert!("…".repeat(64).parse::<MaskedKey>().is_ok());
        assert_eq!(
            "x".repeat(65).parse::<MaskedKey>(),
            Err(MaskedKeyError::Length)
        );
        assert_eq!("sk\n1".parse::<MaskedKey>(), Err(MaskedKeyError::Control));
    }
}
