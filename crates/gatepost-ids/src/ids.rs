//! Row numbers: one type for each table, so that they cannot be confused.

use std::fmt;

use crate::object_id::ObjectId;

macro_rules! row_numbers {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
        #[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
        #[allow(clippy::exhaustive_structs, reason = "a number and nothing else")]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl From<i64> for $name {
            fn from(number: i64) -> Self {
                Self(number)
            }
        }

        impl From<$name> for i64 {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl From<$name> for ObjectId {
            fn from(id: $name) -> Self {
                Self::from_number(id.0)
            }
        }
    )*};
}

row_numbers! {
    /// The row number of a key. The storage backend assigns it; it is unrelated to the key string.
    KeyId,
    /// The row number of a webhook.
    WebhookId,
    /// The row number of a task.
    TaskId,
    /// The row number of an event.
    EventId,
    /// The row number of a tag that objects carry.
    TagId,
}
