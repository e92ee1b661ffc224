//! A record as one JSON object: its row number, owner, revision, times and fields.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
#[cfg(feature = "webhooks")]
use chrono::DateTime;
use gatepost_ids::OwnerId;
use serde::Deserialize as _;
use serde_json::{Map, Value as Json, json};

use super::field::Field;
use super::record::Record;
use super::value::Value;
use crate::error::StoreError;
#[cfg(feature = "webhooks")]
use crate::page::{Revision, Row};
#[cfg(feature = "webhooks")]
use crate::seal::SealingKeys;

#[cfg(feature = "webhooks")]
impl<R: Record> Row<R::Id, R> {
    /// Returns the row as a JSON object. Flags, numbers, texts and users are under the names of
    /// their fields; times are microseconds since 1970; bytes are base64.
    ///
    /// # Errors
    /// The errors of [`Record::columns`].
    pub fn to_json(&self, keys: &SealingKeys) -> Result<Json, StoreError> {
        let id: i64 = self.id.into();
        let mut object = object::<R>(self.owner, self.value.columns(keys)?);
        object.insert("id".into(), id.into());
        object.insert("revision".into(), self.revision.0.into());
        object.insert("created".into(), self.created.timestamp_micros().into());
        object.insert("modified".into(), self.modified.timestamp_micros().into());
        Ok(object.into())
    }

    /// Creates the row from an object that [`to_json`](Self::to_json) returned. A missing field is
    /// empty.
    ///
    /// # Errors
    /// `Corrupt`, as [`Record::from_columns`]. It names the field and quotes no value.
    pub fn from_json(mut row: Json, keys: &SealingKeys) -> Result<Self, StoreError> {
        let (owner, values) = values::<R>(&mut row)?;
        let number = |name: &'static str| {
            let number = row[name].as_i64();
            number.ok_or_else(|| StoreError::corrupt(name, "not a number"))
        };
        let time = |name: &'static str| {
            let time = DateTime::from_timestamp_micros(number(name)?);
            time.ok_or_else(|| StoreError::corrupt(name, "not a point in time"))
        };
        Ok(Self {
            id: number("id")?.into(),
            owner,
            revision: Revision(number("revision")?),
            created: time("created")?,
            modified: time("modified")?,
            value: R::from_columns(owner, values, keys)?,
        })
    }
}

/// Returns the values of a record under the names of its fields, with its owner.
pub(crate) fn object<R: Record>(owner: OwnerId, values: Vec<Value>) -> Map<String, Json> {
    let mut object = Map::new();
    object.insert("owner".into(), json!(owner));
    for (field, value) in R::FIELDS.iter().zip(values) {
        object.insert(field.name.into(), json_of(value));
    }
    object
}

/// Takes the owner and the values from an object that [`object`] returned.
pub(crate) fn values<R: Record>(row: &mut Json) -> Result<(OwnerId, Vec<Value>), StoreError> {
    let owner = OwnerId::deserialize(&row["owner"]);
    let owner = owner.map_err(|_| StoreError::corrupt("owner", "not a user"))?;
    let values = R::FIELDS
        .iter()
        .map(|field| value_of(field, row.get_mut(field.name).map(Json::take)));
    Ok((owner, values.collect::<Result<_, _>>()?))
}

fn json_of(value: Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(flag) => flag.into(),
        Value::Number(number) => number.into(),
        Value::Text(text) => text.into(),
        Value::Bytes(bytes) => STANDARD.encode(bytes).into(),
        Value::Time(time) => time.timestamp_micros().into(),
        Value::User(user) => json!(user),
    }
}

fn value_of(field: &Field, json: Option<Json>) -> Result<Value, StoreError> {
    let wrong = |rule: &str| StoreError::corrupt(field.name, rule);
    Ok(match json.unwrap_or_default() {
        Json::Null => Value::Null,
        Json::Bool(flag) => Value::Bool(flag),
        Json::Number(number) => number.as_i64().ok_or_else(|| wrong("not a number"))?.into(),
        // The decoder's error would show a byte of the text.
        Json::String(text) if field.bytes => {
            let bytes = STANDARD.decode(text);
            Value::Bytes(bytes.map_err(|_| wrong("not base64"))?)
        }
        Json::String(text) => Value::Text(text),
        Json::Array(_) | Json::Object(_) => return Err(wrong("a list or an object")),
    })
}
