//! Owner management for a platform without an engine: it assigns owners to realms that the platform
//! introduced later, and deletes the data of removed users.

use gatepost_ids::{OwnerId, TenantId};
use gatepost_storage::owners::{OwnerFilter, OwnerRow, Removal};

use super::key_service::KeyService;
use super::realm_assignment::place;
use crate::error::KeyError;
use crate::platform_calls;

/// The number of rows that are removed in one commit, and of owners that are read at a time.
const BITE: u32 = 100;

impl KeyService {
    /// Asks the platform about every user who has keys and no stored realm, and stores the tenants
    /// that it names. Call it once after the platform has introduced tenants, or after an upgrade:
    /// until then, lists for a tenant's administrator lack keys that were created before and not
    /// used since. An engine over the same store does this itself.
    ///
    /// Returns the number of users with a new realm. If the platform cannot answer for a user, the
    /// next call tries again.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn assign_realms(&self) -> Result<u64, KeyError> {
        let (keys, mut placed, mut after) = (&self.0.keys, 0, None);
        loop {
            let page = keys.store.list_owners(OwnerFilter::Unplaced, after, BITE);
            let owners = page.await?;
            let Some(last) = owners.last() else {
                return Ok(placed);
            };
            after = Some(last.owner);
            for OwnerRow { owner, .. } in owners {
                let store = keys.store.as_ref();
                match platform_calls::account(self.accounts().as_ref(), owner).await {
                    Ok(Some(account)) => {
                        place(store, owner, &account, keys.clock.now()).await?;
                        placed += u64::from(account.tenant.is_some());
                    }
                    Ok(None) => {}
                    Err(error) => tracing::warn!(%error, %owner, "not placed"),
                }
            }
        }
    }

    /// Removes all data of a user, including webhooks and deliveries in the same store. It is for a
    /// platform without an engine; an engine's method does the same and also receives the
    /// platform's notices.
    ///
    /// The first commit marks all data as deleted, so they are out of use; the following commits
    /// remove rows in batches. The platform must check who may call it: it does not check
    /// permissions.
    ///
    /// # Errors
    /// Failures of the store. Call it again: it continues from the failure.
    pub async fn remove_owner(&self, owner: OwnerId) -> Result<(), KeyError> {
        self.remove(Removal::Owner(owner)).await
    }

    /// Removes all data of all users of a tenant, as [`remove_owner`](Self::remove_owner) does.
    ///
    /// # Errors
    /// The errors of `remove_owner`.
    pub async fn remove_tenant(&self, tenant: TenantId) -> Result<(), KeyError> {
        self.remove(Removal::Tenant(tenant)).await
    }

    async fn remove(&self, gone: Removal) -> Result<(), KeyError> {
        let keys = &self.0.keys;
        keys.store.mark_gone(gone, keys.clock.now()).await?;
        while keys.store.remove_gone(BITE, keys.clock.now()).await? >= u64::from(BITE) {
            tokio::task::yield_now().await;
        }
        tracing::info!(?gone, "removed");
        Ok(())
    }
}
