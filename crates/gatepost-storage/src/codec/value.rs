//! The value of a column.

use std::fmt;

use chrono::{DateTime, Utc};
use gatepost_ids::OwnerId;

/// The value of a column. A backend stores each kind in the type that its database has for it. It
/// may read a kind back as an equivalent one: a flag as a number, a time as microseconds since
/// 1970, a text as bytes, a user as 16 bytes.
#[derive(Clone, Eq, PartialEq)]
pub enum Value {
    /// No value.
    Null,
    /// A flag.
    Bool(bool),
    /// A number.
    Number(i64),
    /// A text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A point in time, to the microsecond.
    Time(DateTime<Utc>),
    /// A user.
    User(OwnerId),
}

impl Value {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<DateTime<Utc>> for Value {
    fn from(time: DateTime<Utc>) -> Self {
        Self::Time(time)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// Shows the kind only: the content may be a secret.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Null => "Null",
            Self::Bool(_) => "Bool",
            Self::Number(_) => "Number",
            Self::Text(_) => "Text",
            Self::Bytes(_) => "Bytes",
            Self::Time(_) => "Time",
            Self::User(_) => "User",
        })
    }
}
