//! Errors for texts that are not part of a delivery.

/// The error for a text that cannot be parsed as a part of a delivery. It names the part and its
/// rule.
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
