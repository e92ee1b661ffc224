//! Texts that are no part of a delivery.

/// A text that cannot be read as a part of a delivery: which part, and what it must be.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum InvalidDelivery {
    /// Not a [`MessageId`](super::MessageId).
    #[error("a message id is 1 to 64 letters, digits, '-' or '_'")]
    MessageId,
    /// Not a [`Cause`](super::Cause).
    #[error("a cause is a type, an event, an object, a user, an occurrence id, a trace and data")]
    Cause,
    /// Not a [`DataExcerpt`](super::DataExcerpt).
    #[error("an excerpt of data is 1 to 2,048 bytes without line feed and NUL")]
    DataExcerpt,
}
