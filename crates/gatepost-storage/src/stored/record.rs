//! Tasks and events. A webhook has secrets, and goes through [`codec`](crate::codec) with keys.

use chrono::DateTime;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};
use serde_json::Value;
use webhook_model::{Event, EventId, Task};

use crate::codec::{Record, from_json, to_json};
use crate::page::Row;
use crate::seal::SealingKeys;
use crate::webhooks::TaskRow;

/// Nothing of them is sealed.
const NO_KEYS: SealingKeys = SealingKeys::none();

impl Serialize for Row<EventId, Event> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        to_json(self, &NO_KEYS)
            .map_err(ser::Error::custom)?
            .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Row<EventId, Event> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read(&Value::deserialize(deserializer)?)
    }
}

impl Serialize for TaskRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let row = Row {
            id: self.id,
            owner: self.owner,
            revision: self.revision,
            created: self.created,
            modified: self.modified,
            value: self.task.clone(),
        };
        let mut stored = to_json(&row, &NO_KEYS).map_err(ser::Error::custom)?;
        stored["last_run"] = self.last_run.map(|at| at.timestamp_micros()).into();
        stored.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for TaskRow {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let stored = Value::deserialize(deserializer)?;
        let last_run = match &stored["last_run"] {
            Value::Null => None,
            at => {
                let at = at.as_i64().and_then(DateTime::from_timestamp_micros);
                Some(at.ok_or_else(|| de::Error::custom("last_run: not a point in time"))?)
            }
        };
        Ok(Self::of(read::<Task, _>(&stored)?, last_run))
    }
}

fn read<R: Record, E: de::Error>(stored: &Value) -> Result<Row<R::Id, R>, E> {
    from_json(stored, &NO_KEYS).map_err(E::custom)
}
