//! Rows as JSON and back, and fields that are read without the rest of their row.

use chrono::{DateTime, Utc};
use gatepost_storage::seal::SealingKeys;
use gatepost_storage::webhooks::{RecordId, RecordRow, TaskRow};
use gatepost_storage::{ErrorKind, Row, StoreError};
use serde::de::DeserializeOwned;
use serde::{Deserialize as _, Serialize};
use serde_json::Value;
use webhook_model::{Event, EventId, OwnerId, Webhook, WebhookId};

use super::error::Answer;
use super::tables::{EVENTS, Rows, TASKS, WEBHOOKS};

/// Microseconds since 1970: what times are kept to.
pub(super) fn micros(time: DateTime<Utc>) -> i64 {
    time.timestamp_micros()
}

pub(super) fn corrupt(field: &'static str) -> StoreError {
    StoreError::new(ErrorKind::Corrupt, field)
}

/// A record as its row.
pub(super) fn encode(record: &impl Serialize) -> Answer<Value> {
    let failed = |e| StoreError::new(ErrorKind::Unsupported, "a record").with_source(e);
    serde_json::to_value(record).map_err(failed)
}

/// The record of a row.
pub(super) fn decode<T: DeserializeOwned>(row: &Value) -> Answer<T> {
    T::deserialize(row).map_err(|e| corrupt("a row").with_source(e))
}

/// The table in which a record is, and its number there.
pub(super) fn place_of(record: RecordId) -> (Rows, i64) {
    match record {
        RecordId::Webhook(id) => (WEBHOOKS, id.0),
        RecordId::Task(id) => (TASKS, id.0),
        RecordId::Event(id) => (EVENTS, id.0),
    }
}

/// A record of the kind that is asked for.
pub(super) fn record(id: RecordId, row: &Value, keys: &SealingKeys) -> Answer<RecordRow> {
    Ok(match id {
        RecordId::Webhook(_) => Row::<WebhookId, Webhook>::from_json(row, keys)?.into(),
        RecordId::Task(_) => decode::<TaskRow>(row)?.into(),
        RecordId::Event(_) => decode::<Row<EventId, Event>>(row)?.into(),
    })
}

/// Reads the fields of a row; what is missing or of another kind is `Corrupt` and names the field.
pub(super) struct Fields<'a>(pub(super) &'a Value);

impl<'a> Fields<'a> {
    pub(super) fn maybe_int(&self, field: &'static str) -> Option<i64> {
        self.0[field].as_i64()
    }

    pub(super) fn int(&self, field: &'static str) -> Answer<i64> {
        self.maybe_int(field).ok_or_else(|| corrupt(field))
    }

    pub(super) fn owner(&self, field: &'static str) -> Answer<OwnerId> {
        OwnerId::deserialize(&self.0[field]).map_err(|_| corrupt(field))
    }

    /// An integer of a smaller kind.
    pub(super) fn number<N: TryFrom<i64>>(&self, field: &'static str) -> Answer<N> {
        N::try_from(self.int(field)?).map_err(|_| corrupt(field))
    }

    pub(super) fn is(&self, field: &'static str) -> Answer<bool> {
        self.0[field].as_bool().ok_or_else(|| corrupt(field))
    }

    pub(super) fn maybe_text(&self, field: &'static str) -> Option<&'a str> {
        self.0[field].as_str()
    }

    pub(super) fn text(&self, field: &'static str) -> Answer<&'a str> {
        self.maybe_text(field).ok_or_else(|| corrupt(field))
    }

    pub(super) fn maybe_time(&self, field: &'static str) -> Option<DateTime<Utc>> {
        self.maybe_int(field)
            .and_then(DateTime::from_timestamp_micros)
    }

    pub(super) fn time(&self, field: &'static str) -> Answer<DateTime<Utc>> {
        self.maybe_time(field).ok_or_else(|| corrupt(field))
    }
}
