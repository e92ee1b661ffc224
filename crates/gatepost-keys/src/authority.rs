//! Who may manage whose records: everyone their own, administrators of a tenant their tenant's,
//! system administrators all.

use std::collections::HashMap;
use std::sync::Arc;

use gatepost_ids::{AccessLevel, Accounts, AccountsError, OwnerId, TenantId};
use gatepost_storage::Scope;

use crate::ask;
use crate::principal::Principal;

/// Decides for one caller; remembers the answers of the platform for as long as it lives, so keep
/// it for one request.
#[derive(Debug)]
pub struct Authority<'a> {
    actor: &'a Principal,
    accounts: Arc<dyn Accounts>,
    known: HashMap<OwnerId, Option<Standing>>,
}

/// What the platform said of another user.
#[derive(Clone, Copy, Debug)]
struct Standing {
    access: AccessLevel,
    tenant: Option<TenantId>,
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
        let Scope::Tenant(tenant) = self.scope() else {
            return Ok(false);
        };
        let subject = self.subject(owner).await?;
        Ok(subject.is_some_and(|standing| standing.tenant == Some(tenant)))
    }

    /// Whether the caller may see what this user made while in that tenant, such as a delivery: an
    /// administrator sees what was made in the own tenant, though the user has moved, and not what
    /// a user had made before coming.
    ///
    /// # Errors
    /// When the platform cannot say.
    pub async fn may_see_made_in(
        &mut self,
        owner: OwnerId,
        tenant: Option<TenantId>,
    ) -> Result<bool, AccountsError> {
        match self.scope() {
            _ if owner == self.actor.owner => Ok(true),
            Scope::All => Ok(true),
            Scope::Tenant(own) if tenant == Some(own) => Ok(self.subject(owner).await?.is_some()),
            Scope::Tenant(_) | Scope::Owner(_) => Ok(false),
        }
    }

    /// Where a user stands who may be an administrator's subject; `None` of a system administrator
    /// and where there is no such user.
    async fn subject(&mut self, owner: OwnerId) -> Result<Option<Standing>, AccountsError> {
        if let Some(known) = self.known.get(&owner) {
            return Ok(*known);
        }
        let account = ask::account(self.accounts.as_ref(), owner).await?;
        let standing = account.map(|account| Standing {
            access: account.access,
            tenant: account.tenant,
        });
        let standing = standing.filter(|user| user.access < AccessLevel::SystemAdministrator);
        self.known.insert(owner, standing);
        Ok(standing)
    }

    /// The rows that the caller may at most see: the scope in which a store is to look.
    ///
    /// In a tenant's scope there may be rows of a system administrator who is in that tenant, or of
    /// a user who has just left it: [`may_manage`](Self::may_manage) says which.
    #[must_use]
    pub fn scope(&self) -> Scope {
        match (self.actor.access, self.actor.tenant) {
            (AccessLevel::SystemAdministrator, _) => Scope::All,
            (AccessLevel::TenantAdministrator, Some(tenant)) => Scope::Tenant(tenant),
            _ => Scope::Owner(self.actor.owner),
        }
    }

    /// Of the rows that were asked for, those that the caller may at most see; `None` when there
    /// can be none.
    ///
    /// # Errors
    /// When the platform cannot say.
    pub async fn narrow(&mut self, asked: Scope) -> Result<Option<Scope>, AccountsError> {
        let mine = self.scope();
        Ok(match (mine, asked) {
            (Scope::All, _) => Some(asked),
            (_, Scope::All) => Some(mine),
            (_, Scope::Owner(owner)) => self.may_manage(owner).await?.then_some(asked),
            (Scope::Tenant(_), Scope::Tenant(_)) => (mine == asked).then_some(asked),
            (Scope::Owner(_), Scope::Tenant(tenant)) => {
                (self.actor.tenant == Some(tenant)).then_some(mine)
            }
        })
    }
}
