//! The columns of keys, webhooks, tasks and events: one table of fields each.
//!
//! A backend keeps a record as its row number, owner, revision and times, and the fields of
//! [`Record::FIELDS`], each in a column of that name. It gets their values from
//! [`Record::columns`] and hands those that it read to [`Record::from_columns`];
//! [`Row::to_json`](crate::Row::to_json) and [`Row::from_json`](crate::Row::from_json) do the same
//! for a backend that keeps a whole row as one value. None of these knows a database.
//!
//! A key's row has its number and revision among its fields, and nothing of it is sealed:
//! [`Record::values`] are its values, and [`Record::from_values`] reads them.
//!
//! Columns that are sealed (`sealed` of a [`Field`]) lie under the current sealing key, each bound
//! to its column: a value that was moved to another does not open. Reading a value that no writer
//! can have written is `Corrupt`, with the column named and no value quoted.

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
pub(crate) use webhook::SENDS;

#[cfg(feature = "webhooks")]
#[cfg(test)]
mod tests;
