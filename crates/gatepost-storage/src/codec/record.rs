//! A record, and all of its fields as columns.

use gatepost_ids::OwnerId;

use super::field::Field;
use super::reader::Reader;
use super::value::Value;
use crate::error::StoreError;

/// A record of SPEC 2.1–2.4: a key, a webhook, a task or an event.
pub trait Record: Sized {
    /// Its row number.
    type Id: Copy + From<i64> + Into<i64>;
    /// What it is called: `webhook`.
    const NAME: &'static str;
    /// Its fields, but for its owner, who is a column of every record.
    const FIELDS: &'static [Field];

    /// The values of [`FIELDS`](Self::FIELDS), in their order, none of them sealed.
    ///
    /// # Errors
    /// `Invalid` for what this version does not know.
    fn values(&self) -> Result<Vec<Value>, StoreError>;

    /// The record of this owner with the values that `fields` gives, in the order of
    /// [`FIELDS`](Self::FIELDS).
    ///
    /// # Errors
    /// `Corrupt` names the column.
    fn read(owner: OwnerId, fields: &mut Reader<'_>) -> Result<Self, StoreError>;

    /// The record of this owner with these [`values`](Self::values), if none of them is sealed.
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
}
