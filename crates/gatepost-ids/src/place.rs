//! Realms: the groups of users that are isolated from each other, and the audience of an
//! occurrence.

use std::fmt;

use crate::accounts::{AccessLevel, Account};
use crate::platform_ids::{OwnerId, TenantId};

/// A realm: a group of users whose records are isolated from all others.
///
/// Records in one realm are never matched, listed, waited for or charged by another realm. Every
/// owner is in exactly one realm.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[allow(
    clippy::exhaustive_enums,
    reason = "stored: a backend learns of a new case from the compiler"
)]
pub enum Place {
    /// All owners of a platform without tenants. On a platform with tenants: the owners who were
    /// not assigned to a realm yet.
    Common,
    /// System administrators without a tenant, and their own records.
    Operators,
    /// The users of one tenant.
    Tenant(TenantId),
    /// A user without a tenant, isolated like a tenant with a single user.
    Alone(OwnerId),
}

impl Place {
    /// Returns the realm that the platform's answer assigns to this owner.
    #[must_use]
    pub fn of(owner: OwnerId, account: &Account) -> Self {
        match (account.tenant, account.access) {
            (Some(tenant), _) => Self::Tenant(tenant),
            (None, AccessLevel::SystemAdministrator) => Self::Operators,
            (None, _) => Self::Alone(owner),
        }
    }

    /// Returns the tenant, if this realm is one.
    #[must_use]
    pub fn tenant(self) -> Option<TenantId> {
        match self {
            Self::Tenant(tenant) => Some(tenant),
            Self::Common | Self::Operators | Self::Alone(_) => None,
        }
    }

    /// Parses a realm from the text that its `Display` writes.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        let place = match word.split_once(':') {
            None if word == "common" => Self::Common,
            None if word == "operators" => Self::Operators,
            Some(("tenant", id)) => Self::Tenant(id.parse().ok()?),
            Some(("owner", id)) => Self::Alone(id.parse().ok()?),
            _ => return None,
        };
        // `+7` and `07` are numbers too, but not this text.
        (place.to_string() == word).then_some(place)
    }
}

/// Writes the realm as it is stored: `common`, `operators`, `tenant:7`, `owner:7`.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Common => f.write_str("common"),
            Self::Operators => f.write_str("operators"),
            Self::Tenant(tenant) => write!(f, "tenant:{tenant}"),
            Self::Alone(owner) => write!(f, "owner:{owner}"),
        }
    }
}

/// The audience of an occurrence: the users who may receive it.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[allow(
    clippy::exhaustive_enums,
    reason = "stored: a backend learns of a new case from the compiler"
)]
pub enum Audience {
    /// Everybody. Only a platform without tenants may use it.
    OneSystem,
    /// System administrators without a tenant only.
    Operators,
    /// The users of a tenant, and system administrators without a tenant.
    Tenant(TenantId),
    /// The users in the realm of this user, and system administrators without a tenant.
    Owner(OwnerId),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_read_as_it_is_written_and_nothing_else_is() {
        let places = [
            Place::Common,
            Place::Operators,
            Place::Tenant(TenantId(7)),
            Place::Alone(OwnerId(u128::MAX)),
        ];
        for place in places {
            assert_eq!(Place::from_word(&place.to_string()), Some(place));
        }
        for word in [
            "",
            "Common",
            "tenant",
            "tenant:",
            "tenant:+7",
            "owner:07",
            "owner:1 ",
        ] {
            assert_eq!(Place::from_word(word), None, "{word:?}");
        }
    }

    #[test]
    fn the_platforms_answer_decides_the_place() {
        let owner = OwnerId(3);
        let user = Account::enabled(AccessLevel::User);
        assert_eq!(Place::of(owner, &user), Place::Alone(owner));
        let member = user.in_tenant(TenantId(5));
        assert_eq!(Place::of(owner, &member), Place::Tenant(TenantId(5)));
        let operator = Account::enabled(AccessLevel::SystemAdministrator);
        assert_eq!(Place::of(owner, &operator), Place::Operators);
        let employed = operator.in_tenant(TenantId(5));
        assert_eq!(Place::of(owner, &employed), Place::Tenant(TenantId(5)));
    }
}
