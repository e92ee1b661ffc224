//! Owners and places: what the platform tells the engine of its users, and asks about them.

use gatepost_ids::{Place, TenantId};
use gatepost_storage::Scope;
use gatepost_storage::owners::Gone;
use gatepost_storage::webhooks::{Dropped, RecordId, UnreadableRecord};
use webhook_model::OwnerId;

use super::handle::Engine;
use crate::error::EngineError;
use crate::records::owners::Usage;

impl Engine {
    /// How much an owner has and uses, and how much there may be.
    ///
    /// # Errors
    /// [`EngineError::Platform`] when the platform's quotas panic, failures of the store.
    pub async fn usage(&self, owner: OwnerId) -> Result<Usage, EngineError> {
        self.0.records.owners.usage(owner).await
    }

    /// Something about this user has changed: enabled, disabled, deleted, made again, or in another
    /// tenant. Asks the platform, and holds, releases or moves what the user has, for all processes
    /// that share the store. Without this call the same happens when the user is next asked about.
    ///
    /// # Errors
    /// [`EngineError::Platform`] when the platform does not answer, failures of the store.
    pub async fn owner_changed(&self, owner: OwnerId) -> Result<(), EngineError> {
        self.0.records.owners.changed(owner).await
    }

    /// Moves all that a user has to another place, in one commit: administrators of that place see
    /// the records and what is made from now on, not what was sent before. Deliveries that wait end
    /// as `error: the owner moved`. Where the platform's accounts say otherwise, the user is moved
    /// back: change them first.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn move_owner(&self, owner: OwnerId, place: Place) -> Result<(), EngineError> {
        self.0.records.owners.relocate(owner, place).await
    }

    /// Removes all that a user has: keys, webhooks, tasks, events, deliveries. When this returns,
    /// nothing of it is sent or listed any more; the rows go in the background.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn remove_owner(&self, owner: OwnerId) -> Result<(), EngineError> {
        self.0.records.owners.remove(Gone::Owner(owner)).await
    }

    /// As [`remove_owner`](Self::remove_owner), for all users of a tenant.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn remove_tenant(&self, tenant: TenantId) -> Result<(), EngineError> {
        self.0.records.owners.remove(Gone::Tenant(tenant)).await
    }

    /// Who owns a record, also one that cannot be read; `None` when there is no such record.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn owner_of(&self, record: RecordId) -> Result<Option<OwnerId>, EngineError> {
        self.0.records.owners.owner_of(record).await
    }

    /// Records that cannot be read, oldest first: written by a newer version, or sealed with a key
    /// that is lost. They can be deleted; their deliveries wait. Reads all rows of the scope.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn unreadable(
        &self,
        scope: Scope,
        limit: u32,
    ) -> Result<Vec<UnreadableRecord>, EngineError> {
        self.0.records.owners.unreadable(scope, limit).await
    }

    /// Deliveries that were counted instead of stored, newest minute first, by webhook, reason and
    /// minute. Where that makes more than 16 counts of an owner in a minute and a process, the
    /// process counts by the hour until that hour ends: such a count begins with the hour, and has
    /// what the hour's minutes do not have. It is written once in a minute, others once a second:
    /// a process that is killed loses what it counted since.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn dropped(&self, scope: Scope, limit: u32) -> Result<Vec<Dropped>, EngineError> {
        self.0.records.owners.dropped(scope, limit).await
    }
}
