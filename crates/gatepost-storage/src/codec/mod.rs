//! The columns of webhooks, tasks and events: one table of fields each.
//!
//! A backend keeps a record as its row number, owner, revision and times, and the fields of
//! [`Record::FIELDS`], each in a column of that name. It gets their values from [`columns`] and
//! hands those that it read to [`record`]; [`to_json`] and [`from_json`] do the same for a backend
//! that keeps a whole row as one value. None of these knows a database.
//!
//! Columns that are sealed (`sealed` of a [`Field`]) lie under the current sealing key, each bound
//! to its column: a value that was moved to another does not open. Reading a value that no writer
//! can have written is `Corrupt`, with the column named and no value quoted.

mod event;
mod field;
#[cfg(feature = "serde")]
mod json;
mod reader;
mod record;
mod task;
mod value;
mod webhook;

pub use event::parse_target;
pub use field::Field;
#[cfg(feature = "serde")]
pub use json::{from_json, to_json};
pub use reader::{Column, Reader};
pub use record::{Record, columns, record, resealed, sealed_columns};
pub use value::Value;
pub use webhook::{SENDS, activity_word};

#[cfg(test)]
mod tests;
