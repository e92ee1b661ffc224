//! What backends share that keep each part of a delivery, an attempt or a row of the outbox in a
//! column of its own: how a part that is more than a number or a text is written, and how it is
//! read back. Of webhooks, tasks and events [`codec`](crate::codec) says it.
//!
//! A backend calls these from its own rows; none of them knows a database. Reading what no writer
//! of ours can have written is `Corrupt`, with the column named.

mod attempt;
mod outbox;
mod variables;

pub use attempt::SealedAttempt;
pub use outbox::OutboxColumns;
