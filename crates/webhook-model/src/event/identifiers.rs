//! Identifiers of event types and events.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::error::{Field, Invalid};

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident: $field:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Returns the identifier.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = Invalid;

            fn from_str(text: &str) -> Result<Self, Invalid> {
                check(text, Field::$field).map(|()| Self(text.into()))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )*};
}

words! {
    /// A type of events, such as `vms`: 1 to 64 of `a-z 0-9 _`, a letter first. Cheap to clone.
    EventType: Type;
    /// An event of a type, such as `poweron`: 1 to 64 of `a-z 0-9 _`, a letter first. Cheap to
    /// clone.
    EventName: Event;
}

fn check(text: &str, field: Field) -> Result<(), Invalid> {
    let word = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
    let fits = (1..=64).contains(&text.len())
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.bytes().all(word);
    if fits {
        Ok(())
    } else {
        Err(Invalid::new(
            field,
            "must be 1 to 64 of a-z, 0-9 and _, a letter first",
        ))
    }
}
