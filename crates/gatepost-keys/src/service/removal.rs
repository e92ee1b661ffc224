//! Users and tenants that the platform removed.

use gatepost_ids::{OwnerId, TenantId};
use gatepost_storage::owners::Gone;

use super::key_service::KeyService;
use crate::error::KeyError;

/// Rows that are removed in one commit.
const BITE: u32 = 100;

impl KeyService {
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
