//! The ids that a platform assigns to its users and tenants: integers, UUIDs, or names.

use std::fmt::{self, Display as _};
use std::str::FromStr;

use sha2::{Digest as _, Sha256};
use uuid::{Builder, Uuid};

/// The first id that is shown as a UUID.
pub(crate) const FIRST_UUID: u128 = 1 << 63;

/// The reason why a text or a number is not an id.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidId {
    /// The text is neither an integer nor a UUID.
    #[error("must be an integer from 0 to 9223372036854775807 or a UUID")]
    Text,
    /// The number is negative.
    #[error("must not be negative")]
    Negative,
}

macro_rules! platform_ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        ///
        /// 128 bits, so that integers and UUIDs are ids as they are; a platform whose ids are texts
        /// takes [`from_name`](Self::from_name). Below 2⁶³ it is shown as an integer, from there on
        /// as a UUID with hyphens, in lower case. In JSON it is a number below 2⁵³, and a string
        /// from there on; both are read. A platform should have ids of one kind: lists are sorted
        /// by the number.
        ///
        /// ```
        #[doc = concat!("use gatepost_ids::", stringify!($name), ";")]
        ///
        #[doc = concat!("let id: ", stringify!($name), " = \"07\".parse()?;")]
        #[doc = concat!("assert_eq!(id, ", stringify!($name), "(7));")]
        #[doc = concat!("let id: ", stringify!($name), " = \"67E55044-10B1-426F-9247-BB680E5FE0C8\".parse()?;")]
        /// assert_eq!(id.to_string(), "67e55044-10b1-426f-9247-bb680e5fe0c8");
        #[doc = concat!("# Ok::<_, gatepost_ids::InvalidId>(())")]
        /// ```
        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
        #[allow(clippy::exhaustive_structs, reason = "a number and nothing else")]
        pub struct $name(pub u128);

        impl $name {
            /// Creates the id from its 16 bytes, the most significant first, as in a UUID.
            #[must_use]
            pub const fn from_bytes(bytes: [u8; 16]) -> Self {
                Self(u128::from_be_bytes(bytes))
            }

            /// Returns the 16 bytes of the id, the most significant first.
            #[must_use]
            pub const fn to_bytes(self) -> [u8; 16] {
                self.0.to_be_bytes()
            }

            /// Derives an id from a text: a UUID of version 8 (RFC 9562 §5.8) made of the SHA-256
            /// of namespace and name. The namespace identifies the system that assigned the name
            /// (`auth0`). The name cannot be recovered from the id, so the platform must store the
            /// id with its user.
            #[must_use]
            pub fn from_name(namespace: &str, name: &str) -> Self {
                Self(of_name(namespace, name))
            }
        }

        impl From<u32> for $name {
            fn from(id: u32) -> Self {
                Self(id.into())
            }
        }

        /// Converts an integer as a database stores it.
        impl TryFrom<i64> for $name {
            type Error = InvalidId;

            fn try_from(id: i64) -> Result<Self, InvalidId> {
                let id = u128::try_from(id).map_err(|_| InvalidId::Negative)?;
                Ok(Self(id))
            }
        }

        impl From<Uuid> for $name {
            fn from(id: Uuid) -> Self {
                Self(id.as_u128())
            }
        }

        impl From<$name> for Uuid {
            fn from(id: $name) -> Self {
                Self::from_u128(id.0)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                show(self.0, f)
            }
        }

        /// Parses an id. `7`, `07` and `00000000-0000-0000-0000-000000000007` are the same id.
        impl FromStr for $name {
            type Err = InvalidId;

            fn from_str(text: &str) -> Result<Self, InvalidId> {
                read(text).map(Self)
            }
        }

    )*};
}

platform_ids! {
    /// The id of a platform's user, who owns keys and webhooks (SPEC 2.1, *Owner*). The platform
    /// assigns it.
    OwnerId,
    /// The id of a tenant: a group of users with its own administrators. The platform assigns it.
    TenantId,
}

fn of_name(namespace: &str, name: &str) -> u128 {
    let mut digest = Sha256::new();
    // No other pair gives the same bytes.
    digest.update((namespace.len() as u64).to_be_bytes());
    digest.update(namespace);
    digest.update(name);
    let digest: [u8; 32] = digest.finalize().into();
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    Builder::from_custom_bytes(bytes).into_uuid().as_u128()
}

fn show(id: u128, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if id < FIRST_UUID {
        id.fmt(f)
    } else {
        Uuid::from_u128(id).fmt(f)
    }
}

pub(crate) fn read(text: &str) -> Result<u128, InvalidId> {
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        let id = text.parse().ok().filter(|id| *id < FIRST_UUID);
        return id.ok_or(InvalidId::Text);
    }
    // No other spelling of a UUID is an id: braces, no hyphens, `urn:uuid:`.
    let id = (text.len() == 36).then(|| Uuid::try_parse(text).ok());
    id.flatten().map(|id| id.as_u128()).ok_or(InvalidId::Text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const UUID: &str = "67e55044-10b1-426f-9247-bb680e5fe0c8";

    #[test]
    fn id_from_text_and_back_is_one_text() {
        for (text, shown) in [
            ("0", "0"),
            ("007", "7"),
            ("00000000-0000-0000-0000-000000000007", "7"),
            ("9223372036854775807", "9223372036854775807"),
            (UUID, UUID),
            (&UUID.to_uppercase(), UUID),
            (
                "00000000-0000-0000-8000-000000000000",
                "00000000-0000-0000-8000-000000000000",
            ),
            (
                "ffffffff-ffff-ffff-ffff-ffffffffffff",
                "ffffffff-ffff-ffff-ffff-ffffffffffff",
            ),
        ] {
            let id: OwnerId = text.parse().unwrap();
            assert_eq!(id.to_string(), shown);
            assert_eq!(shown.parse(), Ok(id));
            assert_eq!(OwnerId::from_bytes(id.to_bytes()), id);
        }
    }

    #[test]
    fn text_that_is_no_id_is_refused() {
        for text in [
            "",
            "-1",
            "+1",
            " 1",
            "1.0",
            "0x7",
            "9223372036854775808",
            "340282366920938463463374607431768211456",
            "67e5504410b1426f9247bb680e5fe0c8",
            "{67e55044-10b1-426f-9247-bb680e5fe0c8}",
            "urn:uuid:67e55044-10b1-426f-9247-bb680e5fe0c8",
            "67e55044-10b1-426f-9247-bb680e5fe0cg",
            "tina",
            "７",
        ] {
            assert_eq!(text.parse::<TenantId>(), Err(InvalidId::Text), "{text:?}");
        }
        assert_eq!(OwnerId::try_from(-1_i64), Err(InvalidId::Negative));
    }

    #[test]
    fn name_of_another_namespace_is_another_id() {
        let id = OwnerId::from_name("auth0", "5f7c");
        assert_eq!(id, OwnerId::from_name("auth0", "5f7c"));
        assert_eq!(Uuid::from(id).get_version_num(), 8);
        for (namespace, name) in [("auth", "05f7c"), ("auth05", "f7c"), ("", "auth05f7c")] {
            assert_ne!(id, OwnerId::from_name(namespace, name));
        }
    }
}
