//! The columns of a record, sealed and opened.

use gatepost_ids::OwnerId;
use zeroize::Zeroizing;

use super::field::Field;
use super::reader::Reader;
use super::record::Record;
use super::value::Value;
use crate::error::{ErrorKind, StoreError};
use crate::seal::SealingKeys;

/// The values of the columns [`Record::FIELDS`] of a record, in their order, sealed under the
/// current one of `keys`.
///
/// # Errors
/// `Invalid` for what this version does not know, and a secret that is too long to seal.
pub fn columns<R: Record>(record: &R, keys: &SealingKeys) -> Result<Vec<Value>, StoreError> {
    let values = R::FIELDS.iter().zip(record.values()?);
    let sealed = |(field, value): (&Field, Value)| match (field.sealed, value) {
        (Some(context), Value::Text(text)) => seal(keys, Zeroizing::new(text).as_bytes(), context),
        (_, value) => Ok(value),
    };
    values.map(sealed).collect()
}

/// The record of `owner` of which these are the columns [`Record::FIELDS`], in their order.
///
/// # Errors
/// `Corrupt` when a column opens under none of `keys`, or breaks a rule of its record.
pub fn record<R: Record>(
    owner: OwnerId,
    columns: impl IntoIterator<Item = Value>,
    keys: &SealingKeys,
) -> Result<R, StoreError> {
    let values = R::FIELDS.iter().zip(columns);
    let mut values = values.map(|(field, value)| opened(field, value, keys));
    R::read(owner, &mut Reader::new(R::FIELDS, &mut values))
}

fn opened(field: &Field, value: Value, keys: &SealingKeys) -> Result<Value, StoreError> {
    match (field.sealed, value) {
        (Some(context), Value::Bytes(sealed)) => {
            let opened = keys.open(&sealed, context);
            let mut opened = opened.map_err(|e| StoreError::corrupt(context, e))?;
            Ok(Value::Bytes(std::mem::take(&mut *opened)))
        }
        (None, value) | (_, value @ Value::Null) => Ok(value),
        (Some(context), _) => Err(StoreError::corrupt(context, "not bytes")),
    }
}

/// The sealed columns of a record, in the order of [`Record::FIELDS`]: their names, and what their
/// values are sealed for.
pub fn sealed_columns<R: Record>() -> impl Iterator<Item = (&'static str, &'static str)> {
    let fields = R::FIELDS.iter();
    fields.filter_map(|field| Some((field.name, field.sealed?)))
}

/// The values of [`sealed_columns`], in their order, sealed again under the current key; `None`
/// when all of them are already.
///
/// # Errors
/// `Corrupt` when a column opens under none of `keys`.
pub fn resealed<R: Record>(
    columns: &[Value],
    keys: &SealingKeys,
) -> Result<Option<Vec<Value>>, StoreError> {
    let is_current = |value: &Value| match value {
        Value::Bytes(sealed) => keys.is_current(sealed),
        _ => true,
    };
    if columns.iter().all(is_current) {
        return Ok(None);
    }
    let contexts = sealed_columns::<R>().map(|(_, context)| context);
    let again = |(context, value): (&'static str, &Value)| match value {
        Value::Bytes(sealed) => {
            let opened = keys.open(sealed, context);
            seal(
                keys,
                &opened.map_err(|e| StoreError::corrupt(context, e))?,
                context,
            )
        }
        other => Ok(other.clone()),
    };
    contexts
        .zip(columns)
        .map(again)
        .collect::<Result<_, _>>()
        .map(Some)
}

fn seal(keys: &SealingKeys, plaintext: &[u8], context: &str) -> Result<Value, StoreError> {
    let sealed = keys.seal(plaintext, context);
    let too_long = |_| StoreError::new(ErrorKind::Invalid, "a secret is too long to seal");
    sealed.map(Value::Bytes).map_err(too_long)
}
