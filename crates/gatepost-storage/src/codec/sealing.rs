//! Sealing and opening the columns of a record.

use zeroize::Zeroizing;

use super::field::Field;
use super::value::Value;
use crate::error::{ErrorKind, StoreError};
use crate::seal::SealingKeys;

pub(super) fn sealed(field: &Field, value: Value, keys: &SealingKeys) -> Result<Value, StoreError> {
    match (field.sealed, value) {
        (Some(context), Value::Text(text)) => seal(keys, Zeroizing::new(text).as_bytes(), context),
        (_, value) => Ok(value),
    }
}

pub(super) fn opened(field: &Field, value: Value, keys: &SealingKeys) -> Result<Value, StoreError> {
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

/// Returns the column of a sealed field, sealed again under the current key.
pub(super) fn resealed(
    field: &Field,
    value: &Value,
    keys: &SealingKeys,
) -> Result<Value, StoreError> {
    match (field.sealed, value) {
        (Some(context), Value::Bytes(sealed)) => {
            let opened = keys.open(sealed, context);
            let opened = opened.map_err(|e| StoreError::corrupt(context, e))?;
            seal(keys, &opened, context)
        }
        (_, other) => Ok(other.clone()),
    }
}

fn seal(keys: &SealingKeys, plaintext: &[u8], context: &str) -> Result<Value, StoreError> {
    let sealed = keys.seal(plaintext, context);
    let too_long = |_| StoreError::new(ErrorKind::Invalid, "a secret is too long to seal");
    sealed.map(Value::Bytes).map_err(too_long)
}
