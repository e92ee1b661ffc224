//! Tasks and events. A webhook has secrets, and needs [`codec`](crate::codec) with sealing keys.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};
use serde_json::Value;
use webhook_model::{Event, EventId};

use crate::page::Row;
use crate::seal::SealingKeys;
use crate::webhooks::TaskRow;

/// None of their fields is sealed.
const NO_KEYS: SealingKeys = SealingKeys::none();

macro_rules! stored {
    ($($row:ty),*) => {$(
        impl Serialize for $row {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let stored = self.to_json(&NO_KEYS).map_err(ser::Error::custom)?;
                stored.serialize(serializer)
            }
        }

        impl<'de> Deserialize<'de> for $row {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let stored = Value::deserialize(deserializer)?;
                Self::from_json(stored, &NO_KEYS).map_err(de::Error::custom)
            }
        }
    )*};
}
stored!(Row<EventId, Event>, TaskRow);
