//! Columns and the values that they hold.

use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, TenantId};
use gatepost_storage::codec::Value;
use rusqlite::types::{Value as SqlValue, ValueRef};

use crate::error::{Failure, Result};
use crate::named::Named;

/// Returns microseconds since 1970, as times are stored.
pub(crate) fn micros(time: DateTime<Utc>) -> i64 {
    time.timestamp_micros()
}

pub(crate) fn time(row: &Named<'_>, column: &'static str) -> Result<DateTime<Utc>> {
    maybe_time(row, column)?.ok_or_else(|| Failure::corrupt(column, "NULL"))
}

pub(crate) fn maybe_time(row: &Named<'_>, column: &'static str) -> Result<Option<DateTime<Utc>>> {
    row.get::<Option<i64>>(column)?
        .map(|at| time_of(at, column))
        .transpose()
}

pub(crate) fn time_of(at: i64, column: &'static str) -> Result<DateTime<Utc>> {
    DateTime::from_timestamp_micros(at)
        .ok_or_else(|| Failure::corrupt(column, "not a point in time"))
}

/// Returns a duration in whole microseconds.
pub(crate) fn length(span: Duration) -> i64 {
    i64::try_from(span.as_micros()).unwrap_or(i64::MAX)
}

pub(crate) fn span(row: &Named<'_>, column: &'static str) -> Result<Option<Duration>> {
    let micros: Option<i64> = row.get(column)?;
    let micros = micros.map(u64::try_from).transpose();
    Ok(micros
        .map_err(|e| Failure::corrupt(column, e))?
        .map(Duration::from_micros))
}

pub(crate) fn number<T: TryFrom<i64, Error: Display>>(
    row: &Named<'_>,
    column: &'static str,
) -> Result<T> {
    T::try_from(row.get(column)?).map_err(|e| Failure::corrupt(column, e))
}

/// Returns an owner or another user: 16 bytes, the most significant first.
pub(crate) fn owner(row: &Named<'_>, column: &'static str) -> Result<OwnerId> {
    let id = maybe_id(row, column)?.ok_or_else(|| Failure::corrupt(column, "NULL"))?;
    Ok(OwnerId::from_bytes(id))
}

/// Returns a tenant in the same format, or none.
pub(crate) fn maybe_tenant(row: &Named<'_>, column: &'static str) -> Result<Option<TenantId>> {
    Ok(maybe_id(row, column)?.map(TenantId::from_bytes))
}

fn maybe_id(row: &Named<'_>, column: &'static str) -> Result<Option<[u8; 16]>> {
    let value = row.get_ref(column)?.as_blob_or_null();
    let bytes = value.map_err(|e| Failure::corrupt(column, e))?;
    bytes
        .map(<[u8; 16]>::try_from)
        .transpose()
        .map_err(|_| Failure::corrupt(column, "not 16 bytes long"))
}

/// Returns a text column, parsed.
pub(crate) fn parse<T: FromStr<Err: Display>>(row: &Named<'_>, column: &'static str) -> Result<T> {
    stored(row, column, str::parse)
}

/// Returns a text column, parsed by `read`.
pub(crate) fn stored<T, E: Display>(
    row: &Named<'_>,
    column: &'static str,
    read: fn(&str) -> std::result::Result<T, E>,
) -> Result<T> {
    let value = row.get_ref(column)?;
    let text = value.as_str().map_err(|e| Failure::corrupt(column, e))?;
    read(text).map_err(|e| Failure::corrupt(column, e))
}

/// Returns assignments of these columns to numbered parameters, from `first` on.
pub(crate) fn sets(first: usize, columns: &[&str]) -> String {
    let numbered = (first..).zip(columns);
    let sets: Vec<String> = numbered.map(|(n, name)| format!("{name} = ?{n}")).collect();
    sets.join(", ")
}

pub(crate) fn sql_value(value: Value) -> SqlValue {
    match value {
        Value::Null => SqlValue::Null,
        Value::Bool(flag) => flag.into(),
        Value::Number(number) => number.into(),
        Value::Text(text) => text.into(),
        Value::Bytes(bytes) => bytes.into(),
        Value::Time(time) => micros(time).into(),
        Value::User(user) => user.to_bytes().to_vec().into(),
    }
}

pub(crate) fn value_of(value: ValueRef<'_>) -> Result<Value> {
    Ok(match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Number(number),
        ValueRef::Text(text) => {
            let text = std::str::from_utf8(text).map_err(|e| Failure::corrupt("a text", e))?;
            Value::Text(text.to_owned())
        }
        ValueRef::Blob(bytes) => Value::Bytes(bytes.to_vec()),
        ValueRef::Real(_) => return Err(Failure::corrupt("a column", "not a whole number")),
    })
}
