//! Keys.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};
use serde_json::Value;

use crate::codec::{Record as _, object, values};
use crate::keys::KeyRow;

impl Serialize for KeyRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let values = self.values().map_err(ser::Error::custom)?;
        object::<Self>(self.key.owner, values).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for KeyRow {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut stored = Value::deserialize(deserializer)?;
        let (owner, values) = values::<Self>(&mut stored).map_err(de::Error::custom)?;
        Self::from_values(owner, values).map_err(de::Error::custom)
    }
}
