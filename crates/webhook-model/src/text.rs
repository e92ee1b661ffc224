//! Names and descriptions.

use std::fmt;
use std::str::FromStr;

use crate::error::{Field, Invalid};

macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident: $field:ident, $min:literal..=$max:literal, lines: $lines:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Eq, Hash, PartialEq)]
        pub struct $name(Box<str>);

        impl $name {
            /// The text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = Invalid;

            fn from_str(text: &str) -> Result<Self, Invalid> {
                check(text, Field::$field, $min, $max, $lines)?;
                Ok(Self(text.into()))
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
    /// The name of a webhook: 1 to 128 characters, none of them a control character (SPEC 2.2).
    WebhookName: Name, 1..=128, lines: false;
    /// The name of a task: 1 to 64 characters, none of them a control character (SPEC 2.3).
    TaskName: Name, 1..=64, lines: false;
    /// Free text of at most 2,048 characters; lines and tabs are allowed (SPEC 2.3).
    Description: Description, 0..=2048, lines: true;
}

impl Default for Description {
    fn default() -> Self {
        Self("".into())
    }
}

/// Texts are kept as they were given: nothing is trimmed or folded.
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
