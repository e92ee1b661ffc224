//! What clients keep with an event.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::data::Data;
use crate::error::{Field, Invalid};

/// The most bytes of its text.
const MAX_BYTES: usize = 64 * 1024;

/// A JSON object of at most 64 KiB as text; clones share it. `${context}` in the message of the
/// event's task shows it.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct JsonObject(Arc<Map<String, Value>>);

impl JsonObject {
    /// Takes an object over.
    ///
    /// # Errors
    /// More than 64 KiB as text.
    pub fn new(object: Map<String, Value>) -> Result<Self, Invalid> {
        let object = Self(Arc::new(object));
        if object.to_string().len() > MAX_BYTES {
            return Err(Invalid::new(Field::Context, "must be at most 65536 bytes"));
        }
        Ok(object)
    }

    /// The members.
    #[must_use]
    pub fn as_map(&self) -> &Map<String, Value> {
        &self.0
    }
}

/// However deep it is.
impl From<&JsonObject> for Data {
    fn from(object: &JsonObject) -> Self {
        Self::whole(object.to_string(), object.as_map().clone())
    }
}

impl FromStr for JsonObject {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        if text.len() > MAX_BYTES {
            return Err(Invalid::new(Field::Context, "must be at most 65536 bytes"));
        }
        match serde_json::from_str(text) {
            Ok(Value::Object(object)) => Self::new(object),
            _ => Err(Invalid::new(Field::Context, "must be a JSON object")),
        }
    }
}

impl fmt::Display for JsonObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        serde_json::to_string(&*self.0)
            .map_err(|_| fmt::Error)
            .and_then(|text| f.write_str(&text))
    }
}
