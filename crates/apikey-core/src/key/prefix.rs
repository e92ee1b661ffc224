use std::fmt;
use std::str::FromStr;

use super::layout::MAX_PREFIX_LEN;

const FITS: [bool; 256] = {
    let mut fits = [false; 256];
    let mut byte = 0u8;
    while byte < 128 {
        fits[byte as usize] = matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_');
        byte += 1;
    }
    fits
};

/// The prefix of a platform's key strings, such as `acme_live`, by which people and secret scanners
/// recognize them. `[a-z][a-z0-9_]{0,18}`; `gp` by default.
///
/// The prefix is covered by the checksum of the key string but not by the stored digest, so a
/// platform may change its prefix: keys with the old one stay valid.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct Prefix(Box<str>);

impl Prefix {
    /// Returns the prefix as it is in the key string, without the following `_`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns a regular expression that finds this platform's keys in a text, for secret scanners
    /// (see [`KEY_REGEX`](crate::KEY_REGEX) for any platform's). It has one capture group, the key.
    #[must_use]
    pub fn regex(&self) -> String {
        // A prefix holds only [a-z0-9_], none of which a regular expression treats specially.
        format!(
            "\\b({}_[1-9A-HJ-NP-Za-km-z]{{16}}_[1-9A-HJ-NP-Za-km-z]{{39}})\\b",
            self.0
        )
    }
}

/// The reason why a text is not a [`Prefix`].
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PrefixError {
    /// The prefix contains a character other than `a-z`, `0-9` and `_`.
    #[error("key prefix may hold only a-z, 0-9 and _")]
    Character,
    /// The prefix does not begin with a letter, or is empty.
    #[error("key prefix must begin with a letter a-z")]
    Start,
    /// The prefix is longer than 19 characters.
    #[error("key prefix must be at most 19 characters long")]
    TooLong,
}

impl Default for Prefix {
    fn default() -> Self {
        Self("gp".into())
    }
}

impl FromStr for Prefix {
    type Err = PrefixError;

    fn from_str(text: &str) -> Result<Self, PrefixError> {
        check(text.as_bytes())?;
        Ok(Self(text.into()))
    }
}

impl TryFrom<String> for Prefix {
    type Error = PrefixError;

    fn try_from(text: String) -> Result<Self, PrefixError> {
        check(text.as_bytes())?;
        Ok(Self(text.into()))
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Checks the rule of [`Prefix`] on bytes.
#[inline]
pub(super) fn check(prefix: &[u8]) -> Result<(), PrefixError> {
    if prefix.len() > MAX_PREFIX_LEN {
        return Err(PrefixError::TooLong);
    }
    if !matches!(prefix, [b'a'..=b'z', ..]) {
        return Err(PrefixError::Start);
    }
    // A table and no early exit: this is on the path of every request.
    let fits = |all, &byte: &u8| all & FITS[usize::from(byte)];
    if prefix.iter().fold(true, fits) {
        Ok(())
    } else {
        Err(PrefixError::Character)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lower_case_words_are_prefixes() {
        for good in ["gp", "a", "acme_live", "a_", "a23456789_123456789"] {
            assert_eq!(good.parse::<Prefix>().unwrap().as_str(), good);
            let owned = Prefix::try_from(good.to_owned());
            assert_eq!(owned.unwrap().to_string(), good);
        }
        for (bad, why) in [
            ("", PrefixError::Start),
            ("_a", PrefixError::Start),
            ("1a", PrefixError::Start),
            ("Acme", PrefixError::Start),
            ("aCme", PrefixError::Character),
            ("a-b", PrefixError::Character),
            ("a b", PrefixError::Character),
            ("aé", PrefixError::Character),
            ("a23456789_123456789x", PrefixError::TooLong),
        ] {
            assert_eq!(bad.parse::<Prefix>(), Err(why), "{bad:?}");
        }
    }
}
