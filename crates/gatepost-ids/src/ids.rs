//! Row numbers, one type for each table, so that they cannot be mixed up.

use std::fmt;

use crate::object_id::ObjectId;

macro_rules! row_numbers {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
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
    /// A stored key. The storage backend gives it out; it says nothing about the key string.
    KeyId,
    /// A webhook.
    WebhookId,
    /// A task.
    TaskId,
    /// An event.
    EventId,
    /// A tag that objects carry.
    TagId,
}
