//! Ids in JSON: numbers where every client can read them exactly, strings otherwise.

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::object_id::{InvalidObjectId, ObjectId};
use crate::platform_ids::{FIRST_UUID, InvalidId, OwnerId, TenantId};

/// The first integer that is a string in JSON: JavaScript and other clients keep 53 bits of a
/// number (RFC 8259 §6).
const FIRST_TEXT: u64 = 1 << 53;

impl Serialize for OwnerId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match u64::try_from(self.0) {
            Ok(number) if number < FIRST_TEXT => serializer.serialize_u64(number),
            _ => serializer.collect_str(self),
        }
    }
}

impl<'de> Deserialize<'de> for OwnerId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Owner)
    }
}

impl Serialize for TenantId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        OwnerId(self.0).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for TenantId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        OwnerId::deserialize(deserializer).map(|OwnerId(id)| Self(id))
    }
}

impl Serialize for ObjectId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number = self
            .as_number()
            .and_then(|number| u64::try_from(number).ok());
        match number.filter(|number| *number < FIRST_TEXT) {
            Some(number) => serializer.serialize_u64(number),
            None => serializer.serialize_str(self.as_str()),
        }
    }
}

impl<'de> Deserialize<'de> for ObjectId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Object)
    }
}

struct Owner;

impl Visitor<'_> for Owner {
    type Value = OwnerId;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an integer or a UUID")
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<OwnerId, E> {
        let id = OwnerId(number.into());
        let is_number = id.0 < FIRST_UUID;
        is_number
            .then_some(id)
            .ok_or_else(|| E::custom(InvalidId::Text))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<OwnerId, E> {
        number.try_into().map_err(E::custom)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<OwnerId, E> {
        text.parse().map_err(E::custom)
    }
}

struct Object;

impl Visitor<'_> for Object {
    type Value = ObjectId;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an integer or a text")
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<ObjectId, E> {
        let number = i64::try_from(number).map_err(|_| E::custom(InvalidObjectId))?;
        Ok(ObjectId::from_number(number))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<ObjectId, E> {
        Ok(ObjectId::from_number(number))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<ObjectId, E> {
        text.parse().map_err(E::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UUID: &str = "67e55044-10b1-426f-9247-bb680e5fe0c8";

    #[test]
    fn json_id_is_number_only_if_javascript_safe() {
        for (id, json) in [
            (OwnerId(7), "7".to_owned()),
            (OwnerId((1 << 53) - 1), "9007199254740991".to_owned()),
            (OwnerId(1 << 53), "\"9007199254740992\"".to_owned()),
            (UUID.parse().unwrap(), format!("\"{UUID}\"")),
        ] {
            assert_eq!(serde_json::to_string(&id).unwrap(), json);
            assert_eq!(serde_json::from_str::<OwnerId>(&json).unwrap(), id);
        }
        let read = serde_json::from_str::<OwnerId>;
        assert_eq!(read("9007199254740993").unwrap(), OwnerId((1 << 53) + 1));
        for wrong in ["-1", "1.0", "9223372036854775808", "null", "\"x\"", "[7]"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn json_object_id_is_number_if_javascript_safe() {
        for (id, json) in [
            ("7", "7"),
            ("9007199254740992", "\"9007199254740992\""),
            ("+7", "\"+7\""),
            ("a", "\"a\""),
        ] {
            let id: ObjectId = id.parse().unwrap();
            assert_eq!(serde_json::to_string(&id).unwrap(), json);
            assert_eq!(serde_json::from_str::<ObjectId>(json).unwrap(), id);
        }
        let read = serde_json::from_str::<ObjectId>;
        for wrong in ["1.5", "null", "\"\"", "[]"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
