//! The authorization rules for records: users manage their own, administrators of a tenant their
//! tenant's, system administrators all.

use std::collections::HashMap;
use std::sync::Arc;

use gatepost_ids::{AccessLevel, Accounts, AccountsError, OwnerId, TenantId};
use gatepost_storage::Scope;

use crate::platform_calls;
use crate::principal::Principal;

/// The authorization of one caller. It caches the platform's answers while it exists, so use it for
/// one request only.
#[derive(Debug)]
pub struct Authority<'a> {
    actor: &'a Principal,
    accounts: Arc<dyn Accounts>,
    known: HashMap<OwnerId, Option<Standing>>,
}

/// The platform's answer about another user.
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

    /// Returns whether the caller may see and change the records of this user.
    ///
    /// An administrator of a tenant may not manage a system administrator who is in the same
    /// tenant: a key created there would have more permissions than its creator.
    ///
    /// # Errors
    /// The platform's lookup failed.
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

    /// Returns whether the caller may see a record that this user created while in that tenant,
    /// such as a delivery. An administrator sees the records that were created in their own tenant,
    /// even if the user has moved since, but not those that a user created before joining it.
    ///
    /// # Errors
    /// The platform's lookup failed.
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

    /// Returns the account of a user who can be managed by a tenant's administrator; `None` for a
    /// system administrator and for a user who does not exist.
    async fn subject(&mut self, owner: OwnerId) -> Result<Option<Standing>, AccountsError> {
        if let Some(known) = self.known.get(&owner) {
            return Ok(*known);
        }
        let account = platform_calls::account(self.accounts.as_ref(), owner).await?;
        let standing = account.map(|account| Standing {
            access: account.access,
            tenant: account.tenant,
        });
        let standing = standing.filter(|user| user.access < AccessLevel::SystemAdministrator);
        self.known.insert(owner, standing);
        Ok(standing)
    }

    /// Returns the scope in which a store must search for the caller: an upper bound of the rows
    /// that the caller may see.
    ///
    /// A tenant's scope can contain rows of a system administrator in that tenant, or of a user who
    /// has just left it: check those with [`may_manage`](Self::may_manage).
    #[must_use]
    pub fn scope(&self) -> Scope {
        match (self.actor.access, self.actor.tenant) {
            (AccessLevel::SystemAdministrator, _) => Scope::All,
            (AccessLevel::TenantAdministrator, Some(tenant)) => Scope::Tenant(tenant),
            _ => Scope::Owner(self.actor.owner),
        }
    }

    /// Returns the part of the requested scope that the caller may see at most; `None` if there is
    /// none.
    ///
    /// # Errors
    /// The platform's lookup failed.
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
