//! Where an owner's records stand, and who an occurrence is meant for.

use std::fmt;

use crate::accounts::{AccessLevel, Account};
use crate::platform_ids::{OwnerId, TenantId};

/// The walls between customers: what is in one place is never matched, listed, waited for or
/// paid for by another. Every owner is in one place.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[allow(
    clippy::exhaustive_enums,
    reason = "stored: a backend learns of a new case from the compiler"
)]
pub enum Place {
    /// All owners of a platform that is one system; where a platform has tenants, those owners that
    /// were not placed yet.
    Common,
    /// System administrators without a tenant, and what they watch.
    Operators,
    /// A customer.
    Tenant(TenantId),
    /// A user without a tenant: walled as a tenant of one.
    Alone(OwnerId),
}

impl Place {
    /// Where the platform's answer puts this owner.
    #[must_use]
    pub fn of(owner: OwnerId, account: &Account) -> Self {
        match (account.tenant, account.access) {
            (Some(tenant), _) => Self::Tenant(tenant),
            (None, AccessLevel::SystemAdministrator) => Self::Operators,
            (None, _) => Self::Alone(owner),
        }
    }

    /// The tenant, if it is one.
    #[must_use]
    pub fn tenant(self) -> Option<TenantId> {
        match self {
            Self::Tenant(tenant) => Some(tenant),
            Self::Common | Self::Operators | Self::Alone(_) => None,
        }
    }

    /// The place of this text, as its `Display` writes it.
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

/// As it is stored: `common`, `operators`, `tenant:7`, `owner:7`.
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

/// Who an occurrence is meant for.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[allow(
    clippy::exhaustive_enums,
    reason = "stored: a backend learns of a new case from the compiler"
)]
pub enum Audience {
    /// Everybody: only on a platform that is one system.
    OneSystem,
    /// The operators alone.
    Operators,
    /// A tenant, and the operators.
    Tenant(TenantId),
    /// A user in the place where that user is, and the operators.
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
