//! An account's status.

use std::sync::Arc;

use gatepost_ids::{AccessLevel, Account, OwnerId, Realm, TenantId};

/// The error if an account names a tenant on a platform that has none.
const NAMES_A_TENANT: &str = "it said one_system, but this account names a tenant";

/// The platform's answer: the account, no account, or the reason for a failure.
pub(in crate::access) type Answer = Result<Option<Standing>, Arc<str>>;

/// The permissions of a user.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in crate::access) struct Standing {
    pub enabled: bool,
    pub access: AccessLevel,
    pub tenant: Option<TenantId>,
}

impl Standing {
    /// Returns the status of an account, on a platform that is one system or has tenants.
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
    pub(in crate::access) fn administers(&self) -> bool {
        self.access == AccessLevel::TenantAdministrator && self.tenant.is_some()
    }

    /// The tenant whose administrators may see this user's records: none for a system administrator
    /// who is in a tenant.
    pub(in crate::access) fn subject_of(self) -> Option<TenantId> {
        let is_subject = self.access < AccessLevel::SystemAdministrator;
        self.tenant.filter(|_| is_subject)
    }

    /// The realm of the owner's records, on a platform with tenants.
    pub(in crate::access) fn place(&self, owner: OwnerId) -> Realm {
        let mut account = Account::enabled(self.access);
        account.tenant = self.tenant;
        Realm::of(owner, &account)
    }
}
