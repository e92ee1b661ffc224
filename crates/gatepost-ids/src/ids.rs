//! Row numbers, one type for each table, so that they cannot be mixed up.

use std::fmt;

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
    )*};
}

row_numbers! {
    /// A user of the platform, who owns keys and webhooks (SPEC 2.1, *Owner*). The platform gives
    /// it out.
    OwnerId,
    /// A group of users with administrators of its own. The platform gives it out.
    TenantId,
    /// A stored key. The storage backend gives it out; it says nothing about the key string.
    KeyId,
    /// A webhook.
    WebhookId,
    /// A task.
    TaskId,
    /// An event.
    EventId,
    /// An object of the platform, within its type.
    ObjectId,
    /// A tag that objects carry.
    TagId,
}
