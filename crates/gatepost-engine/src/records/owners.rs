//! Owners and realms: notices from the platform about its users, and questions about them.

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_ids::{Quota, Realm, TenantId};
use gatepost_storage::Scope;
use gatepost_storage::owners::{RecordUsage, Removal};
use gatepost_storage::webhooks::{
    CounterKind, CounterQuery, LogUsage, RecordId, RejectReason, RejectedCount, UnreadableRecord,
};
use webhook_model::{OwnerId, WebhookId};

use crate::engine::Engine;
use crate::error::EngineError;

/// The time for which rejected deliveries are shown.
const DAY: TimeDelta = TimeDelta::days(1);
/// The maximum number of counts that are summed up: 500 webhooks have 1,500 in an hour.
const COUNTS: u32 = 40_000;

/// An owner's usage and quota.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Usage {
    /// The quota.
    pub quota: Quota,
    /// Webhooks, tasks and events.
    pub records: RecordUsage,
    /// The queue and the delivery log: an estimate that lags by about a second.
    pub log: LogUsage,
    /// Manual sends, runs, triggers and replays within a minute, and runs that the owner's
    /// occurrences caused, in this process.
    pub runs_in_minute: u32,
    /// Deliveries that were not stored in the last 24 hours.
    pub rejected: Rejected,
}

/// Deliveries of an owner that were not stored, by the exceeded limit.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Rejected {
    /// The owner had as many pending deliveries as allowed.
    pub waiting: u64,
    /// One occurrence ran as many tasks, or made as many bytes, as allowed.
    pub occurrence: u64,
    /// The owner had caused as many runs in a minute as allowed.
    pub rate: u64,
}

impl Engine {
    /// Returns an owner's usage and quota.
    ///
    /// # Errors
    /// [`EngineError::Platform`] when the platform's quotas panic, failures of the store.
    pub async fn usage(&self, owner: OwnerId) -> Result<Usage, EngineError> {
        let log = self.core.store.log_usage(&[owner]).await?;
        Ok(Usage {
            quota: self.core.access.quota(owner)?,
            records: self.core.store.record_usage(owner).await?,
            log: log.first().copied().unwrap_or_default(),
            runs_in_minute: self.core.access.runs_in_minute(owner)?,
            rejected: self.rejected(owner).await?,
        })
    }

    /// Notifies the engine that a user was enabled, disabled, deleted, created again, or moved to
    /// another tenant. Asks the platform, and suspends, releases or moves the user's records, for
    /// all processes that share the store. Without this call the same happens when the user is next
    /// asked about.
    ///
    /// # Errors
    /// [`EngineError::Platform`] when the platform does not answer, failures of the store.
    pub async fn owner_changed(&self, owner: OwnerId) -> Result<(), EngineError> {
        self.core.access.owner_changed(owner).await
    }

    /// Moves all records of a user to another realm, in one commit: administrators of that realm
    /// see the records and what is made afterwards, not what was sent earlier. Pending deliveries
    /// end as `error: the owner moved`. If the platform's accounts disagree, the user is moved
    /// back: change them first.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn move_owner(&self, owner: OwnerId, place: Realm) -> Result<(), EngineError> {
        let now = self.core.clock.now()?;
        Ok(self.core.store.assign_realm(owner, place, now).await?)
    }

    /// Removes all records of a user: keys, webhooks, tasks, events, deliveries. When this returns,
    /// none of them is sent or listed any more; the rows are removed in the background.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn remove_owner(&self, owner: OwnerId) -> Result<(), EngineError> {
        let now = self.core.clock.now()?;
        Ok(self
            .core
            .store
            .mark_gone(Removal::Owner(owner), now)
            .await?)
    }

    /// As [`remove_owner`](Self::remove_owner), for all users of a tenant.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn remove_tenant(&self, tenant: TenantId) -> Result<(), EngineError> {
        let now = self.core.clock.now()?;
        Ok(self
            .core
            .store
            .mark_gone(Removal::Tenant(tenant), now)
            .await?)
    }

    /// Returns the owner of a record, readable or not; `None` when there is no such record.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn owner_of(&self, record: RecordId) -> Result<Option<OwnerId>, EngineError> {
        Ok(self.core.store.owner_of(record).await?)
    }

    /// Returns records that cannot be read, oldest first: written by a newer version, or sealed
    /// with a key that is lost. They can be deleted; their deliveries wait. Reads all rows of the
    /// scope.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn unreadable(
        &self,
        scope: Scope,
        limit: u32,
    ) -> Result<Vec<UnreadableRecord>, EngineError> {
        Ok(self.core.store.unreadable(scope, limit).await?)
    }

    /// Returns the numbers of deliveries that were counted instead of stored, by webhook, reason
    /// and hour, newest hour first: those of a scope, or of one of its webhooks. They are written
    /// once a second, or once a minute if an owner has more than 16 new ones, to the hour of the
    /// write: a process that is killed loses the counts since its last write.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn rejected_counts(
        &self,
        scope: Scope,
        webhook: Option<WebhookId>,
        limit: u32,
    ) -> Result<Vec<RejectedCount>, EngineError> {
        let since = DateTime::UNIX_EPOCH;
        self.rejected_since(scope, webhook, since, limit).await
    }

    async fn rejected(&self, owner: OwnerId) -> Result<Rejected, EngineError> {
        let (since, scope) = (self.core.clock.now()? - DAY, Scope::Owner(owner));
        let mut rejected = Rejected::default();
        for count in self.rejected_since(scope, None, since, COUNTS).await? {
            let sum = match count.reason {
                RejectReason::Waiting => &mut rejected.waiting,
                RejectReason::Occurrence => &mut rejected.occurrence,
                RejectReason::Rate => &mut rejected.rate,
            };
            *sum = sum.saturating_add(count.count);
        }
        Ok(rejected)
    }

    async fn rejected_since(
        &self,
        scope: Scope,
        webhook: Option<WebhookId>,
        from: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<RejectedCount>, EngineError> {
        let query = CounterQuery {
            kind: CounterKind::Rejected,
            scope,
            webhooks: webhook.map(|webhook| vec![webhook]),
            from,
            before: DateTime::<Utc>::MAX_UTC,
            limit,
        };
        Ok(self.core.store.counters(&query).await?.rejected)
    }
}
