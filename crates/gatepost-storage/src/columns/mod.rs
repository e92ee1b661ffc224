//! Conversions for backends that store each part of a delivery, an attempt or an outbox row in its
//! own column: how a part that is more than a number or a text is written and read. For webhooks,
//! tasks and events, [`codec`](crate::codec) does this.
//!
//! A backend calls these with its own rows; none of them depends on a database. A value that no
//! writer of Gatepost can have written is reported as `Corrupt`, with the column named.

mod attempt;
mod outbox;
mod variables;

pub use attempt::SealedAttempt;
pub use outbox::OutboxColumns;
