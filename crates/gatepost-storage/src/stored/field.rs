//! The stored form of fields that serde does not write as this module's parent describes: for
//! `#[serde(with = "crate::stored::field")]`.

use std::net::IpAddr;
#[cfg(feature = "webhooks")]
use std::{convert::Infallible, sync::Arc, time::Duration};

#[cfg(feature = "webhooks")]
use base64::{Engine as _, engine::general_purpose::STANDARD};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

#[cfg(feature = "webhooks")]
use crate::webhooks::{Cause, DeliveryState, MessageId};

pub(crate) fn serialize<T: Field, S: Serializer>(field: &T, to: S) -> Result<S::Ok, S::Error> {
    field.write(to)
}

pub(crate) fn deserialize<'de, T: Field, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    T::read(from)
}

/// A field. An error of `read` holds no part of the stored value.
pub(crate) trait Field: Sized {
    fn write<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error>;
    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error>;
}

/// As microseconds.
impl Field for DateTime<Utc> {
    fn write<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_i64(self.timestamp_micros())
    }

    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let micros = i64::deserialize(from)?;
        Self::from_timestamp_micros(micros).ok_or_else(|| D::Error::custom("no moment"))
    }
}

/// As nanoseconds.
#[cfg(feature = "webhooks")]
impl Field for Duration {
    fn write<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(u64::try_from(self.as_nanos()).unwrap_or(u64::MAX))
    }

    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        u64::deserialize(from).map(Self::from_nanos)
    }
}

/// As base64.
#[cfg(feature = "webhooks")]
impl Field for Vec<u8> {
    fn write<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&STANDARD.encode(self))
    }

    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        // The decoder's error would show a byte of the text.
        let decoded = STANDARD.decode(String::deserialize(from)?);
        decoded.map_err(|_| D::Error::custom("is not base64"))
    }
}

/// As texts.
macro_rules! texts {
    ($($field:ty: $this:ident => $text:expr, $read:ident => $parsed:expr;)*) => {$(
        impl Field for $field {
            fn write<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                let $this = self;
                to.serialize_str(&$text)
            }

            fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let $read = String::deserialize(from)?;
                $parsed.map_err(D::Error::custom)
            }
        }
    )*};
}

texts! { IpAddr: ip => ip.to_string(), text => text.parse(); }

#[cfg(feature = "webhooks")]
texts! {
    MessageId: id => id.as_str(), text => text.parse();
    Cause: cause => cause.to_string(), text => text.parse();
    DeliveryState: state => state.as_str(), word => Self::from_word(&word).ok_or("unknown word");
    Arc<str>: text => text, text => Ok::<_, Infallible>(text.into());
}

impl<T: Field> Field for Option<T> {
    fn write<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.as_ref().map(Stored).serialize(to)
    }

    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Option::deserialize(from)?.map(|Stored(field)| field))
    }
}

struct Stored<T>(T);

impl<T: Field> Serialize for Stored<&T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.0.write(to)
    }
}

impl<'de, T: Field> Deserialize<'de> for Stored<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        T::read(from).map(Self)
    }
}
