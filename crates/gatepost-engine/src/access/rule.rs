//! The three rules for who receives what.

use std::sync::Arc;

use gatepost_ids::{AccessLevel, Audience, OwnerId, Realm, TenantId};

use super::accounts::Standing;
use super::subscription_policy::SubscriptionPolicy;

/// The rule that the platform chose on the builder.
#[derive(Clone, Debug)]
pub(crate) enum Rule {
    /// Everybody receives everything.
    OneSystem,
    /// The audience and its administrators receive it.
    AddressedOnly,
    /// The platform decides.
    Policy(Arc<dyn SubscriptionPolicy>),
}

/// The consequence of the account of an owner whose event matches.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Stands {
    /// The rule decides.
    Within,
    /// Never: disabled, missing, or another tenant's.
    Outside,
    /// The owner is being moved to another realm.
    Moving,
}

/// Whether the owner's account allows anything of this realm at all. Owners who are not placed are
/// matched everywhere, and one who has just been moved still is in the old realm.
pub(super) fn stands(
    owner: OwnerId,
    standing: Option<Standing>,
    place: Realm,
    audience: Audience,
) -> Stands {
    let Some(standing) = standing.filter(|standing| standing.enabled) else {
        return Stands::Outside;
    };
    if audience == Audience::OneSystem {
        return Stands::Within;
    }
    let own = standing.place(owner);
    if own == place || own == Realm::System {
        Stands::Within
    } else if audience == Audience::Owner(owner) {
        Stands::Moving
    } else {
        Stands::Outside
    }
}

/// Whether this owner is addressed by this audience. `addressee` is the tenant whose administrators
/// may see the records of the user who is the audience, if there is one.
pub(super) fn is_addressed(
    audience: Audience,
    owner: OwnerId,
    standing: &Standing,
    addressee: Option<TenantId>,
) -> bool {
    let administers =
        |tenant: Option<TenantId>| standing.administers() && standing.tenant == tenant;
    if standing.access == AccessLevel::SystemAdministrator {
        return true;
    }
    match audience {
        Audience::OneSystem => true,
        Audience::Operators => false,
        Audience::Tenant(tenant) => administers(Some(tenant)),
        Audience::Owner(to) => to == owner || administers(addressee),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWNER: OwnerId = OwnerId(1);
    const TENANT: TenantId = TenantId(7);

    fn standing(access: AccessLevel, tenant: Option<u128>) -> Standing {
        Standing {
            enabled: true,
            access,
            tenant: tenant.map(TenantId),
        }
    }

    #[test]
    fn audience_addresses_users_by_access_level_and_tenant() {
        use AccessLevel::{SystemAdministrator, TenantAdministrator, User};
        let audiences = [
            Audience::Owner(OWNER),
            Audience::Owner(OwnerId(2)),
            Audience::Tenant(TENANT),
            Audience::Operators,
        ];
        let expected = [
            (User, Some(7), [true, false, false, false]),
            (User, None, [true, false, false, false]),
            (TenantAdministrator, Some(7), [true, true, true, false]),
            (TenantAdministrator, Some(8), [true, false, false, false]),
            (TenantAdministrator, None, [true, false, false, false]),
            (SystemAdministrator, None, [true; 4]),
            (SystemAdministrator, Some(7), [true; 4]),
        ];
        for (access, tenant, expected) in expected {
            let standing = standing(access, tenant);
            let addressed = |audience| is_addressed(audience, OWNER, &standing, Some(TENANT));
            assert_eq!(audiences.map(addressed), expected, "{standing:?}");
        }
        let administrator = standing(TenantAdministrator, None);
        let alone = Audience::Owner(OwnerId(2));
        assert!(
            !is_addressed(alone, OWNER, &administrator, None),
            "no tenant is not the same tenant"
        );
    }

    #[test]
    fn user_of_another_realm_is_never_within() {
        let (here, tenant) = (Realm::Tenant(TENANT), Audience::Tenant(TENANT));
        let user = |tenant| Some(standing(AccessLevel::User, tenant));
        let stand = |standing| stands(OWNER, standing, here, tenant);
        assert_eq!(stand(user(Some(7))), Stands::Within);
        assert_eq!(stand(user(Some(8))), Stands::Outside);
        assert_eq!(stand(user(None)), Stands::Outside);
        assert_eq!(stand(None), Stands::Outside);
        let operator = standing(AccessLevel::SystemAdministrator, None);
        assert_eq!(stand(Some(operator)), Stands::Within);
        let employed = standing(AccessLevel::SystemAdministrator, Some(8));
        assert_eq!(stand(Some(employed)), Stands::Outside);
        let disabled = user(Some(7)).map(|user| Standing {
            enabled: false,
            ..user
        });
        assert_eq!(stand(disabled), Stands::Outside);
        let own = Audience::Owner(OWNER);
        assert_eq!(stands(OWNER, user(Some(8)), here, own), Stands::Moving);
        assert_eq!(stands(OWNER, disabled, here, own), Stands::Outside);
        let (common, all) = (Realm::Shared, Audience::OneSystem);
        assert_eq!(stands(OWNER, user(None), common, all), Stands::Within);
    }
}
