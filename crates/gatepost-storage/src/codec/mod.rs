//! The columns of keys, webhooks, tasks and events, with one table of fields for each.
//!
//! A backend stores a record as its row number, owner, revision and times, and the fields of
//! [`Record::FIELDS`], each in a column of that name. It gets the values from [`Record::columns`]
//! and passes the values that it read to [`Record::from_columns`]. A backend that stores a whole
//! row as one value uses [`Row::to_json`](crate::Row::to_json) and
//! [`Row::from_json`](crate::Row::from_json) instead. None of these depends on a database.
//!
//! The row of a key has its number and revision among its fields, and none of its fields is sealed:
//! [`Record::values`] returns its values, and [`Record::from_values`] reads them.
//!
//! Sealed columns (`sealed` of a [`Field`]) are encrypted under the current sealing key, each bound
//! to its column: a value that was moved to another column does not open. A value that no writer
//! can have written is reported as `Corrupt`, with the column named and no value quoted.

#[cfg(feature = "webhooks")]
mod event;
mod field;
#[cfg(feature = "serde")]
mod json;
#[cfg(feature = "keys")]
mod key;
mod reader;
mod record;
#[cfg(feature = "webhooks")]
mod sealing;
#[cfg(feature = "webhooks")]
mod task;
mod value;
#[cfg(feature = "webhooks")]
mod webhook;

#[cfg(feature = "webhooks")]
pub(crate) use event::parse_target;
pub use field::Field;
#[cfg(all(feature = "serde", feature = "keys"))]
pub(crate) use json::{object, values};
pub use record::Record;
pub use value::Value;

#[cfg(feature = "webhooks")]
#[cfg(test)]
mod tests;
