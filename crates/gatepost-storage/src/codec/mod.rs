//! The columns of keys, webhooks, tasks and events: one table of fields each.
//!
//! A backend keeps a record as its row number, owner, revision and times, and the fields of
//! [`Record::FIELDS`], each in a column of that name. It gets their values from [`columns`] and
//! hands those that it read to [`record`]; [`to_json`] and [`from_json`] do the same for a backend
//! that keeps a whole row as one value. None of these knows a database.
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
pub use event::parse_target;
pub use field::Field;
#[cfg(all(feature = "serde", feature = "webhooks"))]
pub use json::{from_json, to_json};
#[cfg(all(feature = "serde", feature = "keys"))]
pub(crate) use json::{object, values};
pub use reader::{Column, Reader};
pub use record::Record;
#[cfg(feature = "webhooks")]
pub use sealing::{columns, record, resealed, sealed_columns};
pub use value::Value;
#[cfg(feature = "webhooks")]
pub use webhook::{SENDS, activity_word};

#[cfg(feature = "webhooks")]
#[cfg(test)]
mod tests;
