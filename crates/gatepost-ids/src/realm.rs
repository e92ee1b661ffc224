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
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[allow(
    clippy::exhaustive_enums,
    reason = "stored: a backend learns of a new case from the compiler"
)]
pub enum Realm {
    /// All owners of a platform without tenants. On a platform with tenants: the owners who were
    /// not assigned to a realm yet.
    Shared,
    /// System administrators without a tenant, and their own records.
    System,
    /// The users of one tenant.
    Tenant(TenantId),
    /// A user without a tenant, isolated like a tenant with a single user.
    Solo(OwnerId),
}

impl Realm {
    /// Returns the realm that the platform's answer assigns to this owner.
    #[must_use]
    pub fn of(owner: OwnerId, account: &Account) -> Self {
        match (account.tenant, account.access) {
            (Some(tenant), _) => Self::Tenant(tenant),
            (None, AccessLevel::SystemAdministrator) => Self::System,
            (None, _) => Self::Solo(owner),
        }
    }

    /// Returns the tenant, if this realm is one.
    #[must_use]
    pub fn tenant(self) -> Option<TenantId> {
        match self {
            Self::Tenant(tenant) => Some(tenant),
            Self::Shared | Self::System | Self::Solo(_) => None,
        }
    }

    /// Parses a realm from the text that its `Display` writes.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        let place = match word.split_once(':') {
            None if word == "common" => Self::Shared,
            None if word == "operators" => Self::System,
            Some(("tenant", id)) => Self::Tenant(id.parse().ok()?),
            Some(("owner", id)) => Self::Solo(id.parse().ok()?),
            _ => return None,
        };
        // `+7` and `07` are numbers too, but not this text.
        (place.to_string() == word).then_some(place)
    }
}

/// Writes the realm as it is stored: `common`, `operators`, `tenant:7`, `owner:7`.
impl fmt::Display for Realm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shared => f.write_str("common"),
            Self::System => f.write_str("operators"),
            Self::Tenant(tenant) => write!(f, "tenant:{tenant}"),
            Self::Solo(owner) => write!(f, "owner:{owner}"),
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
    fn realm_round_trips_as_text_and_rejects_others() {
        let places = [
            Realm::Shared,
            Realm::System,
            Realm::Tenant(TenantId(7)),
            Realm::Solo(OwnerId(u128::MAX)),
        ];
        for place in places {
            assert_eq!(Realm::from_word(&place.to_string()), Some(place));
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
            assert_eq!(Realm::from_word(word), None, "{word:?}");
        }
    }

    #[test]
    fn realm_is_decided_by_platform_account() {
        let owner = OwnerId(3);
        let user = Account::enabled(AccessLevel::User);
        assert_eq!(Realm::of(owner, &user), Realm::Solo(owner));
        let member = user.in_tenant(TenantId(5));
        assert_eq!(Realm::of(owner, &member), Realm::Tenant(TenantId(5)));
        let operator = Account::enabled(AccessLevel::SystemAdministrator);
        assert_eq!(Realm::of(owner, &operator), Realm::System);
        let employed = operator.in_tenant(TenantId(5));
        assert_eq!(Realm::of(owner, &employed), Realm::Tenant(TenantId(5)));
    }
}
