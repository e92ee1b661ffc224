//! What a platform that has no engine does for its users: places those of before it had tenants,
//! and removes those that it removed.

use gatepost_ids::{OwnerId, TenantId};
use gatepost_storage::owners::{Gone, OwnerFilter, OwnerRow};

use super::key_service::KeyService;
use super::placing::place;
use crate::ask;
use crate::error::KeyError;

/// Rows that are removed in one commit, and owners that are read at a time.
const BITE: u32 = 100;

impl KeyService {
    /// Asks the platform about every user who has keys and was never placed, and stores the tenants
    /// that it names. To be called once, after the platform has got tenants or after an upgrade:
    /// until then an administrator is not listed keys that were made before and not used since. An
    /// engine over the same store does it by itself.
    ///
    /// Returns how many users were placed. Where the platform cannot say, the user is left for the
    /// next call.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn place_owners(&self) -> Result<u64, KeyError> {
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
                match ask::account(self.accounts().as_ref(), owner).await {
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

    /// Removes all that a user has, webhooks and deliveries in the same store included. For a
    /// platform that has no engine; an engine does the same and has the platform's notices of it.
    ///
    /// All of it is out of force with the first commit, in which it is marked; what follows makes
    /// room, bite by bite. The platform judges who may do this: no user's right is asked for.
    ///
    /// # Errors
    /// Failures of the store. To be called again then: it goes on where it stopped.
    pub async fn remove_owner(&self, owner: OwnerId) -> Result<(), KeyError> {
        self.remove(Gone::Owner(owner)).await
    }

    /// As [`remove_owner`](Self::remove_owner), for all users of a tenant.
    ///
    /// # Errors
    /// As there.
    pub async fn remove_tenant(&self, tenant: TenantId) -> Result<(), KeyError> {
        self.remove(Gone::Tenant(tenant)).await
    }

    async fn remove(&self, gone: Gone) -> Result<(), KeyError> {
        let keys = &self.0.keys;
        keys.store.mark_gone(gone, keys.clock.now()).await?;
        while keys.store.remove_gone(BITE, keys.clock.now()).await? >= u64::from(BITE) {
            tokio::task::yield_now().await;
        }
        tracing::info!(?gone, "removed");
        Ok(())
    }
}
