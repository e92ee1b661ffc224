//! Writing and reading the fields of a stored row.

use std::fmt::Display;
use std::str::FromStr;

#[cfg(feature = "webhooks")]
use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{DateTime, Utc};

/// A field of a stored row that breaks a rule. It holds no value of the row.
#[derive(Debug, thiserror::Error)]
#[error("{field}: {rule}")]
pub(super) struct Wrong {
    field: &'static str,
    rule: String,
}

impl Wrong {
    pub(super) fn new(field: &'static str, rule: impl Display) -> Self {
        let rule = rule.to_string();
        Self { field, rule }
    }
}

/// Parses the text of a field.
pub(super) fn parsed<T: FromStr<Err: Display>>(
    field: &'static str,
    text: &str,
) -> Result<T, Wrong> {
    checked(field, text.parse())
}

/// Adds the name of the field to an error.
pub(super) fn checked<T, E: Display>(field: &'static str, read: Result<T, E>) -> Result<T, Wrong> {
    read.map_err(|e| Wrong::new(field, e))
}

pub(super) fn time(field: &'static str, micros: i64) -> Result<DateTime<Utc>, Wrong> {
    DateTime::from_timestamp_micros(micros).ok_or_else(|| Wrong::new(field, "no moment"))
}

#[cfg(feature = "webhooks")]
pub(super) fn maybe_time(
    field: &'static str,
    micros: Option<i64>,
) -> Result<Option<DateTime<Utc>>, Wrong> {
    micros.map(|micros| time(field, micros)).transpose()
}

#[cfg(feature = "webhooks")]
pub(super) fn base64(bytes: impl AsRef<[u8]>) -> String {
    Engine::encode(&STANDARD, bytes)
}

#[cfg(feature = "webhooks")]
pub(super) fn bytes(field: &'static str, text: &str) -> Result<Vec<u8>, Wrong> {
    // The decoder's error would show a byte of the text.
    let decoded = Engine::decode(&STANDARD, text);
    decoded.map_err(|_| Wrong::new(field, "is not base64"))
}

/// Implements serialization of a record through its stored form.
macro_rules! stored_as {
    ($record:ty, $stored:ty) => {
        impl serde::Serialize for $record {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let stored = <$stored>::try_from(self).map_err(serde::ser::Error::custom)?;
                stored.serialize(serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $record {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let stored = <$stored>::deserialize(deserializer)?;
                stored.try_into().map_err(serde::de::Error::custom)
            }
        }
    };
}
pub(super) use stored_as;
