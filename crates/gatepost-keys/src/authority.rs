//! Who may manage whose records: everyone their own, administrators of a tenant their tenant's,
//! system administrators all.

use std::collections::HashMap;
use std::sync::Arc;

use gatepost_ids::{AccessLevel, Accounts, AccountsError, OwnerId};

use crate::ask;
use crate::principal::Principal;

/// Decides for one caller; remembers the answers of the platform for as long as it lives, so keep
/// it for one request.
#[derive(Debug)]
pub struct Authority<'a> {
    actor: &'a Principal,
    accounts: Arc<dyn Accounts>,
    known: HashMap<OwnerId, bool>,
}

impl<'a> Authority<'a> {
    pub(crate) fn new(actor: &'a Principal, accounts: Arc<dyn Accounts>) -> Self {
        Self {
            actor,
            accounts,
            known: HashMap::new(),
        }
    }

    /// Whether the caller may see and change what belongs to this user.
    ///
    /// An administrator of a tenant may not manage a system administrator who happens to be in the
    /// same tenant: a key made there would have more powers than its maker.
    ///
    /// # Errors
    /// When the platform cannot say.
    pub async fn may_manage(&mut self, owner: OwnerId) -> Result<bool, AccountsError> {
        if owner == self.actor.owner || self.actor.access == AccessLevel::SystemAdministrator {
            return Ok(true);
        }
        let (AccessLevel::TenantAdministrator, Some(tenant)) =
            (self.actor.access, self.actor.tenant)
        else {
            return Ok(false);
        };
        if let Some(known) = self.known.get(&owner) {
            return Ok(*known);
        }
        let account = ask::account(self.accounts.as_ref(), owner).await?;
        let may = account.is_some_and(|a| {
            a.tenant == Some(tenant) && a.access < AccessLevel::SystemAdministrator
        });
        self.known.insert(owner, may);
        Ok(may)
    }

    /// The one user whose records the caller may manage, if it is not more than that.
    #[must_use]
    pub fn only(&self) -> Option<OwnerId> {
        match (self.actor.access, self.actor.tenant) {
            (AccessLevel::SystemAdministrator, _) | (AccessLevel::TenantAdministrator, Some(_)) => {
                None
            }
            _ => Some(self.actor.owner),
        }
    }
}
