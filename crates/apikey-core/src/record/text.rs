use std::fmt;
use std::str::FromStr;

use gatepost_ids::{hidden_character, trim_pasted};

const MAX_NAME: usize = 128;
const MAX_DESCRIPTION: usize = 2048;

/// The name of a key (SPEC 2.1): 1 to 128 characters, not only white space, no control characters,
/// no hidden ones ([`hidden_character`]). A character is a Unicode scalar value. White space and
/// marks around the name are dropped ([`trim_pasted`]).
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct KeyName(Box<str>);

/// The purpose of a key (SPEC 2.1): at most 2,048 characters, empty by default. Line breaks and
/// tabs are allowed, other control characters and hidden ones ([`hidden_character`]) are not.
#[derive(Clone, Debug, Default, Eq, Hash, PartialEq)]
pub struct Description(Box<str>);

/// The reason why a text is not a [`KeyName`].
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// The name is empty or white space only.
    #[error("name must not be blank")]
    Blank,
    /// The name contains a control character.
    #[error("name must not hold control characters")]
    Control,
    /// The name contains a character that cannot be seen, or that turns the direction of the text.
    #[error("name must not hold hidden characters such as U+{:04X}", u32::from(*.0))]
    Hidden(char),
    /// The name is longer than 128 characters.
    #[error("name must be at most {MAX_NAME} characters long")]
    TooLong,
}

/// The reason why a text is not a [`Description`].
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DescriptionError {
    /// The description contains a control character other than a line break or tab.
    #[error("description must not hold control characters other than line breaks and tabs")]
    Control,
    /// The description contains a character that cannot be seen, or that turns the direction of the
    /// text.
    #[error("description must not hold hidden characters such as U+{:04X}", u32::from(*.0))]
    Hidden(char),
    /// The description is longer than 2,048 characters.
    #[error("description must be at most {MAX_DESCRIPTION} characters long")]
    TooLong,
}

fn check_name(text: &str) -> Result<(), NameError> {
    if text.trim().is_empty() {
        Err(NameError::Blank)
    } else if text.chars().nth(MAX_NAME).is_some() {
        Err(NameError::TooLong)
    } else if text.contains(char::is_control) {
        Err(NameError::Control)
    } else {
        Ok(())
    }
}

fn check_description(text: &str) -> Result<(), DescriptionError> {
    if text.chars().nth(MAX_DESCRIPTION).is_some() {
        Err(DescriptionError::TooLong)
    } else if text.contains(|c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t')) {
        Err(DescriptionError::Control)
    } else {
        Ok(())
    }
}

macro_rules! checked_text {
    ($name:ident, $error:ident, $check:ident, lines: $lines:literal) => {
        impl $name {
            /// Returns the text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// Parses a stored text. Hidden characters are allowed, since earlier versions accepted
            /// them.
            ///
            /// # Errors
            /// Any other broken rule.
            pub fn stored(text: &str) -> Result<Self, $error> {
                $check(text)?;
                Ok(Self(text.into()))
            }
        }

        impl FromStr for $name {
            type Err = $error;

            fn from_str(text: &str) -> Result<Self, $error> {
                let text = if $lines { text } else { trim_pasted(text) };
                let read = Self::stored(text)?;
                hidden_character(text).map_or(Ok(read), |c| Err($error::Hidden(c)))
            }
        }

        impl TryFrom<String> for $name {
            type Error = $error;

            fn try_from(text: String) -> Result<Self, $error> {
                text.parse()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

checked_text!(KeyName, NameError, check_name, lines: false);
checked_text!(Description, DescriptionError, check_description, lines: true);

impl KeyName {
    /// Returns the name of the key that follows one with this name: `ci`, `ci (2)`, `ci (3)`. A
    /// name that is too long is truncated before the number.
    #[must_use]
    pub fn next(&self) -> Self {
        let numbered = self.0.strip_suffix(')');
        let numbered = numbered.and_then(|text| text.rsplit_once(" ("));
        let (base, number) = numbered
            .and_then(|(base, number)| Some((base, number.parse::<u32>().ok()?)))
            .filter(|(base, number)| *number >= 2 && !base.trim().is_empty())
            .unwrap_or((&*self.0, 1));
        let suffix = format!(" ({})", number.saturating_add(1));
        let room = MAX_NAME - suffix.len();
        let kept: String = base.chars().take(room).collect();
        Self((kept + &suffix).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_1_to_128_visible_characters() {
        for good in ["x", "c i", "Zoë's 🔑", &"é".repeat(128)] {
            assert_eq!(good.parse::<KeyName>().unwrap().as_str(), good);
        }
        for (bad, why) in [
            ("", NameError::Blank),
            (" \u{a0}", NameError::Blank),
            ("a\nb", NameError::Control),
            ("a\0", NameError::Control),
            (&"é".repeat(129), NameError::TooLong),
            ("x\u{202e}gnp.exe", NameError::Hidden('\u{202e}')),
        ] {
            assert_eq!(bad.parse::<KeyName>(), Err(why), "{bad:?}");
        }
        let old = KeyName::stored("x\u{202e}gnp.exe").unwrap();
        assert_eq!(old.as_str(), "x\u{202e}gnp.exe");
        assert_eq!(KeyName::stored("a\0"), Err(NameError::Control));
        let why = NameError::Hidden('\u{202e}').to_string();
        assert_eq!(why, "name must not hold hidden characters such as U+202E");
    }

    #[test]
    fn next_key_name_increments_number_within_length_limit() {
        let next = |name: &str| KeyName::stored(name).unwrap().next().to_string();
        for (name, wanted) in [
            ("ci", "ci (2)"),
            ("ci (2)", "ci (3)"),
            ("ci (9)", "ci (10)"),
            ("ci (1)", "ci (1) (2)"),
            ("ci (x)", "ci (x) (2)"),
            (" (2)", " (2) (2)"),
            ("ci (4294967295)", "ci (4294967295)"),
        ] {
            assert_eq!(next(name), wanted);
        }
        for long in [
            "é".repeat(128),
            "é".repeat(124) + " (9)",
            " ".repeat(127) + "x",
        ] {
            let next = next(&long);
            assert!(next.parse::<KeyName>().is_ok(), "{next:?}");
            assert_eq!(next.chars().count(), MAX_NAME, "cut no more than needed");
            assert!(next.ends_with(if long.ends_with(')') { " (10)" } else { " (2)" }));
        }
    }

    #[test]
    fn description_allows_free_text_up_to_2048_characters() {
        for good in ["", "line one\r\n\tline two", &"ß".repeat(2048)] {
            assert_eq!(good.parse::<Description>().unwrap().as_str(), good);
        }
        assert_eq!(
            "ß".repeat(2049).parse::<Description>(),
            Err(DescriptionError::TooLong)
        );
        assert_eq!(
            "a\0b".parse::<Description>(),
            Err(DescriptionError::Control)
        );
        assert_eq!(
            "a\u{200b}b".parse::<Description>(),
            Err(DescriptionError::Hidden('\u{200b}'))
        );
    }
}
