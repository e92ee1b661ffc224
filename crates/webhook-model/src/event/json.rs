//! The JSON object that clients store with an event.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::data::Data;
use crate::error::{Field, Invalid};
use crate::json_text::{JsonText, parse_json};

/// The maximum size of its text in bytes.
const MAX_BYTES: usize = 64 * 1024;

/// A JSON object of at most 64 KiB as text. Clones share it. `${context}` in the message of the
/// event's task shows it. Numbers keep the digits of the original text.
#[derive(Clone)]
pub struct JsonObject(Arc<JsonText>);

impl JsonObject {
    /// Creates it from the members of an object.
    ///
    /// # Errors
    /// More than 64 KiB as text.
    pub fn new(object: Map<String, Value>) -> Result<Self, Invalid> {
        bounded(JsonText::of(object))
    }

    /// Returns the members.
    #[must_use]
    pub fn as_map(&self) -> &Map<String, Value> {
        self.0.members()
    }

    /// Returns the JSON text without blanks.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.text()
    }
}

/// Converts it regardless of its depth.
impl From<&JsonObject> for Data {
    fn from(object: &JsonObject) -> Self {
        Self::whole(Arc::clone(&object.0))
    }
}

impl FromStr for JsonObject {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        if text.len() > MAX_BYTES {
            return Err(Invalid::new(Field::Context, "must be at most 65536 bytes"));
        }
        match parse_json(text) {
            Ok(Value::Object(object)) => bounded(JsonText::read(text, object)),
            _ => Err(Invalid::new(Field::Context, "must be a JSON object")),
        }
    }
}

impl fmt::Display for JsonObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for JsonObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("JsonObject").field(self.as_map()).finish()
    }
}

/// Creates an object without members.
impl Default for JsonObject {
    fn default() -> Self {
        Self(Arc::new(JsonText::default()))
    }
}

/// Equal if they have the same members, with the same digits in numbers.
impl PartialEq for JsonObject {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for JsonObject {}

fn bounded(parsed: serde_json::Result<JsonText>) -> Result<JsonObject, Invalid> {
    let parsed = parsed.map_err(|_| Invalid::new(Field::Context, "must be a JSON object"))?;
    match parsed.text().len() > MAX_BYTES {
        true => Err(Invalid::new(Field::Context, "must be at most 65536 bytes")),
        false => Ok(JsonObject(Arc::new(parsed))),
    }
}
