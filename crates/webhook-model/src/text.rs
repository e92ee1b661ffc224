//! Names and descriptions.

use std::fmt;
use std::str::FromStr;

use gatepost_ids::{hidden_character, trim_pasted};

use crate::error::{Field, Invalid};

macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident: $field:ident, $min:literal..=$max:literal, lines: $lines:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Eq, Hash, PartialEq)]
        pub struct $name(Box<str>);

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
            pub fn stored(text: &str) -> Result<Self, Invalid> {
                check(text, Field::$field, $min, $max, $lines)?;
                Ok(Self(text.into()))
            }
        }

        impl FromStr for $name {
            type Err = Invalid;

            fn from_str(text: &str) -> Result<Self, Invalid> {
                let text = if $lines { text } else { trim_pasted(text) };
                let read = Self::stored(text)?;
                let Some(c) = hidden_character(text) else {
                    return Ok(read);
                };
                let rule = format!("must not hold hidden characters such as U+{:04X}", u32::from(c));
                Err(Invalid::new(Field::$field, rule))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )*};
}

texts! {
    /// The name of a webhook: 1 to 128 characters, none of them a control character or
    /// hidden ([`hidden_character`]; SPEC 2.2).
    WebhookName: Name, 1..=128, lines: false;
    /// The name of a task: 1 to 64 characters, none of them a control character or hidden
    /// ([`hidden_character`]; SPEC 2.3).
    TaskName: Name, 1..=64, lines: false;
    /// Free text of at most 2,048 characters; lines and tabs are allowed, hidden
    /// characters are not ([`hidden_character`]; SPEC 2.3).
    Description: Description, 0..=2048, lines: true;
    /// A user's name for an event, at most 128 characters on one line, none of them hidden
    /// ([`hidden_character`]; WIRE 7). If it is empty, the label of the catalog is shown.
    EventLabel: EventLabel, 0..=128, lines: false;
}

impl Default for Description {
    fn default() -> Self {
        Self("".into())
    }
}

impl Default for EventLabel {
    fn default() -> Self {
        Self("".into())
    }
}

/// A one-line text was trimmed ([`trim_pasted`]) unless it was stored; a text of several lines is
/// not trimmed.
fn check(text: &str, field: Field, min: usize, max: usize, lines: bool) -> Result<(), Invalid> {
    let length = text.chars().count();
    if length < min {
        return Err(Invalid::new(field, "is required"));
    }
    if length > max {
        return Err(Invalid::new(
            field,
            format!("must be at most {max} characters, not {length}"),
        ));
    }
    let allowed = |c: char| !c.is_control() || (lines && matches!(c, '\n' | '\r' | '\t'));
    if !text.chars().all(allowed) {
        return Err(Invalid::new(field, "must not contain control characters"));
    }
    if min > 0 && text.trim().is_empty() {
        return Err(Invalid::new(field, "must not be blank"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_refused_but_load_if_stored() {
        let text = "x\u{202e}gnp.exe";
        let name = text.parse::<WebhookName>().unwrap_err();
        let rule = "must not hold hidden characters such as U+202E";
        assert_eq!((name.field(), name.rule()), (Field::Name, rule));
        assert!(text.parse::<TaskName>().is_err());
        let description = text.parse::<Description>().unwrap_err();
        assert_eq!(description.field(), Field::Description);
        assert_eq!(WebhookName::stored(text).unwrap().as_str(), text);
        assert_eq!(TaskName::stored(text).unwrap().as_str(), text);
        assert_eq!(Description::stored(text).unwrap().as_str(), text);
        assert!(TaskName::stored("a\0").is_err());
        let label = text.parse::<EventLabel>().unwrap_err();
        assert_eq!(label.field(), Field::EventLabel);
        assert_eq!(EventLabel::stored(text).unwrap().as_str(), text);
    }
}
