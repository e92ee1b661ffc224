//! Row numbers, one type for each table, so that they cannot be mixed up.

macro_rules! row_numbers {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub i64);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

row_numbers! {
    /// A user of the platform, who owns a webhook or made a task.
    OwnerId,
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
