//! `Serialize` and `Deserialize` of records, for a backend that stores a whole row as one value.
//!
//! The form has numbers, booleans and texts: times as microseconds since 1970, durations as
//! nanoseconds, bytes as base64. A field that is added comes last and has a default, so that a
//! later version reads the rows of an earlier one. Only stores may use it: a key's row contains its
//! digest, a delivery's its message.
//!
//! Rows are `KeyRow`, `AuditRow`, `Session`, `QueueStats`, `StoredOccurrence` for the outbox, and
//! `DeliveryRow` with a `SealedAttempt` for each of its attempts. Webhooks, tasks and events are
//! written by [`Row::to_json`](crate::Row::to_json), which seals secrets. An error of `serde_json`
//! may quote the value that it refuses: put its
//! [category](https://docs.rs/serde_json/1/serde_json/struct.Error.html#method.classify) into a
//! `StoreError`, not its text.

pub(crate) mod field;
#[cfg(feature = "keys")]
mod key;
#[cfg(feature = "webhooks")]
mod outbox;

#[cfg(feature = "webhooks")]
pub use outbox::StoredOccurrence;

#[cfg(all(test, feature = "keys", feature = "webhooks"))]
mod tests;
