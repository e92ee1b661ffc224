//! Reading the columns of a row in order.

use std::fmt::Display;
use std::str::FromStr;

use chrono::{DateTime, Utc};
use gatepost_ids::OwnerId;
use zeroize::Zeroizing;

use super::field::Field;
use super::value::Value;
use crate::error::StoreError;

/// The decoding of a record. It is private to this crate; backends never see it.
pub trait ReadRecord: Sized {
    /// Reads the record of this owner from the values in `fields`, in the order of the record's
    /// fields.
    ///
    /// # Errors
    /// `Corrupt` names the column.
    fn read(owner: OwnerId, fields: &mut Reader<'_>) -> Result<Self, StoreError>;
}

/// A reader over the opened columns of a row, in the order of its fields.
#[expect(missing_debug_implementations, reason = "it holds secrets")]
pub struct Reader<'a> {
    fields: std::slice::Iter<'static, Field>,
    values: &'a mut dyn Iterator<Item = Result<Value, StoreError>>,
}

/// A column that was read. Its methods refuse a value of another kind as `Corrupt` and name the
/// column.
#[expect(missing_debug_implementations, reason = "it holds a secret")]
pub struct Column {
    name: &'static str,
    value: Value,
}

impl<'a> Reader<'a> {
    pub(super) fn new(
        fields: &'static [Field],
        values: &'a mut dyn Iterator<Item = Result<Value, StoreError>>,
    ) -> Self {
        Self {
            fields: fields.iter(),
            values,
        }
    }

    /// Returns the next column, or `None` if it is empty.
    ///
    /// # Errors
    /// `Corrupt` if it is sealed and opens under none of the keys.
    pub fn maybe(&mut self) -> Result<Option<Column>, StoreError> {
        let (Some(field), value) = (self.fields.next(), self.values.next()) else {
            return Err(StoreError::corrupt(
                "fields",
                "more are read than there are",
            ));
        };
        let name = field.sealed.unwrap_or(field.name);
        let value = value.transpose()?.filter(|value| *value != Value::Null);
        Ok(value.map(|value| Column { name, value }))
    }

    /// Returns the next column.
    ///
    /// # Errors
    /// `Corrupt`, also if it is empty.
    pub fn column(&mut self) -> Result<Column, StoreError> {
        let name = self
            .fields
            .as_slice()
            .first()
            .map_or("fields", |field| field.name);
        self.maybe()?
            .ok_or_else(|| StoreError::corrupt(name, "missing"))
    }
}

impl Column {
    /// Returns its text, parsed.
    ///
    /// # Errors
    /// `Corrupt`.
    pub fn parsed<T: FromStr<Err: Display>>(self) -> Result<T, StoreError> {
        self.text(str::parse)
    }

    /// Returns its text, converted by `read`.
    ///
    /// # Errors
    /// `Corrupt`.
    pub fn text<T, E: Display>(
        self,
        read: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<T, StoreError> {
        let name = self.name;
        let bytes = Zeroizing::new(match self.value {
            Value::Text(text) => text.into_bytes(),
            Value::Bytes(bytes) => bytes,
            _ => return Err(StoreError::corrupt(name, "not a text")),
        });
        let text = std::str::from_utf8(&bytes).map_err(|e| StoreError::corrupt(name, e))?;
        read(text).map_err(|e| StoreError::corrupt(name, e))
    }

    /// Returns its number, converted by `read`.
    ///
    /// # Errors
    /// `Corrupt`.
    pub fn number<N: TryFrom<i64, Error: Display>, T, E: Display>(
        self,
        read: impl FnOnce(N) -> Result<T, E>,
    ) -> Result<T, StoreError> {
        let Value::Number(number) = self.value else {
            return Err(StoreError::corrupt(self.name, "not a number"));
        };
        let number = N::try_from(number).map_err(|e| StoreError::corrupt(self.name, e))?;
        read(number).map_err(|e| StoreError::corrupt(self.name, e))
    }

    /// Returns a row number.
    ///
    /// # Errors
    /// `Corrupt`.
    pub fn id<I: From<i64>>(self) -> Result<I, StoreError> {
        self.number(|number: i64| Ok::<_, String>(number.into()))
    }

    /// Returns a point in time.
    ///
    /// # Errors
    /// `Corrupt`.
    pub fn time(self) -> Result<DateTime<Utc>, StoreError> {
        let time = match self.value {
            Value::Time(time) => Some(time),
            Value::Number(micros) => DateTime::from_timestamp_micros(micros),
            _ => None,
        };
        time.ok_or_else(|| StoreError::corrupt(self.name, "not a point in time"))
    }

    /// Returns exactly `N` bytes.
    ///
    /// # Errors
    /// `Corrupt`.
    pub fn bytes<const N: usize>(self) -> Result<[u8; N], StoreError> {
        let bytes = match self.value {
            Value::Bytes(bytes) => bytes.try_into().ok(),
            _ => None,
        };
        bytes.ok_or_else(|| StoreError::corrupt(self.name, format!("not {N} bytes")))
    }

    /// Returns a flag.
    ///
    /// # Errors
    /// `Corrupt`.
    pub fn flag(self) -> Result<bool, StoreError> {
        match self.value {
            Value::Bool(flag) => Ok(flag),
            Value::Number(number @ (0 | 1)) => Ok(number == 1),
            _ => Err(StoreError::corrupt(self.name, "not a flag")),
        }
    }

    /// Returns a user.
    ///
    /// # Errors
    /// `Corrupt`.
    pub fn user(self) -> Result<OwnerId, StoreError> {
        let (user, rule) = match self.value {
            Value::User(user) => (Some(user), ""),
            Value::Bytes(bytes) => {
                let bytes = <[u8; 16]>::try_from(bytes).ok();
                (bytes.map(OwnerId::from_bytes), "not 16 bytes long")
            }
            Value::Number(number) => (OwnerId::try_from(number).ok(), "below 0"),
            Value::Text(text) => (text.parse().ok(), "not an id"),
            Value::Null | Value::Bool(_) | Value::Time(_) => (None, "not a user"),
        };
        user.ok_or_else(|| StoreError::corrupt(self.name, rule))
    }
}
