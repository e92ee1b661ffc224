//! Records, and their fields as columns.

use gatepost_ids::OwnerId;

use super::field::Field;
use super::reader::{ReadRecord, Reader};
#[cfg(feature = "webhooks")]
use super::sealing::{opened, resealed, sealed};
use super::value::Value;
use crate::error::StoreError;
#[cfg(feature = "webhooks")]
use crate::seal::SealingKeys;

/// A record of SPEC 2.1–2.4: a key, a webhook, a task or an event. No other type can implement it.
pub trait Record: ReadRecord {
    /// The type of its row number.
    type Id: Copy + From<i64> + Into<i64>;
    /// The name of the record, such as `webhook`.
    const NAME: &'static str;
    /// Its fields, except for the owner, which is a column of every record.
    const FIELDS: &'static [Field];

    /// Returns the values of [`FIELDS`](Self::FIELDS) in their order, none of them sealed.
    ///
    /// # Errors
    /// `Invalid` for a value that this version does not know.
    fn values(&self) -> Result<Vec<Value>, StoreError>;

    /// Creates the record of this owner from unsealed [`values`](Self::values).
    ///
    /// # Errors
    /// `Corrupt` names the column.
    fn from_values(
        owner: OwnerId,
        values: impl IntoIterator<Item = Value>,
    ) -> Result<Self, StoreError> {
        let mut values = values.into_iter().map(Ok);
        Self::read(owner, &mut Reader::new(Self::FIELDS, &mut values))
    }

    /// Returns the sealed fields among [`FIELDS`](Self::FIELDS), in their order.
    #[must_use]
    fn sealed_fields() -> impl Iterator<Item = &'static Field> {
        Self::FIELDS.iter().filter(|field| field.sealed.is_some())
    }

    /// Returns the values of the columns [`FIELDS`](Self::FIELDS) in their order, sealed under the
    /// current key of `keys`.
    ///
    /// # Errors
    /// `Invalid` for a value that this version does not know, and for a secret that is too long to
    /// seal.
    #[cfg(feature = "webhooks")]
    fn columns(&self, keys: &SealingKeys) -> Result<Vec<Value>, StoreError> {
        let values = Self::FIELDS.iter().zip(self.values()?);
        values
            .map(|(field, value)| sealed(field, value, keys))
            .collect()
    }

    /// Creates the record of this owner from its [`columns`](Self::columns).
    ///
    /// # Errors
    /// `Corrupt` if a column opens under none of `keys`, or breaks a rule of its record.
    #[cfg(feature = "webhooks")]
    fn from_columns(
        owner: OwnerId,
        columns: impl IntoIterator<Item = Value>,
        keys: &SealingKeys,
    ) -> Result<Self, StoreError> {
        let values = Self::FIELDS.iter().zip(columns);
        let mut values = values.map(|(field, value)| opened(field, value, keys));
        Self::read(owner, &mut Reader::new(Self::FIELDS, &mut values))
    }

    /// Returns the columns of the [`sealed_fields`](Self::sealed_fields) in their order, sealed
    /// again under the current key of `keys`; `None` if all of them are already.
    ///
    /// # Errors
    /// `Corrupt` if a column opens under none of `keys`.
    #[cfg(feature = "webhooks")]
    fn resealed(columns: &[Value], keys: &SealingKeys) -> Result<Option<Vec<Value>>, StoreError> {
        let is_current = |value: &Value| match value {
            Value::Bytes(sealed) => keys.is_current(sealed),
            _ => true,
        };
        if columns.iter().all(is_current) {
            return Ok(None);
        }
        let columns = Self::sealed_fields().zip(columns);
        let columns = columns.map(|(field, value)| resealed(field, value, keys));
        columns.collect::<Result<_, _>>().map(Some)
    }
}
