//! An account, as far as a judge looks at it.

use std::sync::Arc;

use gatepost_ids::{AccessLevel, Account, OwnerId, Realm, TenantId};

/// Said of a tenant by a platform that has none.
const NAMES_A_TENANT: &str = "it said one_system, but this account names a tenant";

/// What the platform said: the account, that there is none, or why it gave no answer.
pub(in crate::judge) type Answer = Result<Option<Standing>, Arc<str>>;

/// What a user may do.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in crate::judge) struct Standing {
    pub enabled: bool,
    pub access: AccessLevel,
    pub tenant: Option<TenantId>,
}

impl Standing {
    /// Of an account, on a platform that is one system or has tenants.
    pub(super) fn of(account: &Account, one_system: bool) -> Result<Self, Arc<str>> {
        if one_system && account.tenant.is_some() {
            return Err(NAMES_A_TENANT.into());
        }
        Ok(Self {
            enabled: account.enabled,
            access: account.access,
            tenant: account.tenant,
        })
    }

    /// Whether this is an administrator of a tenant.
    pub(in crate::judge) fn administers(&self) -> bool {
        self.access == AccessLevel::TenantAdministrator && self.tenant.is_some()
    }

    /// The tenant whose administrators may see what is this user's: none may of a system
    /// administrator who is in their tenant.
    pub(in crate::judge) fn subject_of(self) -> Option<TenantId> {
        let is_subject = self.access < AccessLevel::SystemAdministrator;
        self.tenant.filter(|_| is_subject)
    }

    /// Where the owner's records belong, on a platform with tenants.
    pub(in crate::judge) fn place(&self, owner: OwnerId) -> Realm {
        let mut account = Account::enabled(self.access);
        account.tenant = self.tenant;
        Realm::of(owner, &account)
    }
}
