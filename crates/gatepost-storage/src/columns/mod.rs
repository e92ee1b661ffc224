//! What backends share that keep each part of a record in a column of its own: how a part that is
//! more than a number or a text is written, and how it is read back.
//!
//! A backend calls these from its own rows; none of them knows a database. Reading what no writer
//! of ours can have written is `Corrupt`, with the column named.

mod attempt;
mod outbox;
mod parts;
mod secrets;
mod variables;

pub use attempt::{open_attempt, seal_attempt};
pub use outbox::{OutboxColumns, left, left_columns};
pub use parts::{
    SENDS, activity_word, class_number, class_of, parse_activity, parse_channels, parse_rate,
    parse_retry_schedule, parse_target, retry_schedule_text, target_ids,
};
pub use secrets::{SealedSecrets, WebhookSecrets};
