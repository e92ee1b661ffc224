//! Owners and places: what the platform tells the engine of its users, and asks about them.

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_ids::{Quota, Realm, TenantId};
use gatepost_storage::Scope;
use gatepost_storage::owners::{RecordUsage, Removal};
use gatepost_storage::webhooks::{
    CounterKind, CounterQuery, DropReason, Dropped, LogUsage, RecordId, UnreadableRecord,
};
use webhook_model::{OwnerId, WebhookId};

use crate::engine::Engine;
use crate::error::EngineError;

/// For how long it is shown what was not stored.
const DAY: TimeDelta = TimeDelta::days(1);
/// Counts that are summed up at most: of 500 webhooks there are 1,500 in an hour.
const COUNTS: u32 = 40_000;

/// What an owner uses, and how much of it there may be.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Usage {
    /// How much there may be.
    pub quota: Quota,
    /// Webhooks, tasks and events.
    pub records: RecordUsage,
    /// The queue and the delivery log: an estimate that is behind by about a second.
    pub log: LogUsage,
    /// What was sent, run, triggered and replayed by hand within a minute, and what ran by what the
    /// owner caused, in this process.
    pub runs_in_minute: u32,
    /// Deliveries that were not stored in the last 24 hours.
    pub rejected: Rejected,
}

/// Deliveries of an owner that were not stored, by what there was too much of.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Rejected {
    /// As much waited as may.
    pub waiting: u64,
    /// One occurrence ran as many tasks, or made as many bytes, as it may.
    pub occurrence: u64,
    /// The owner had caused as many runs in a minute as allowed.
    pub rate: u64,
}

impl Engine {
    /// How much an owner has and uses, and how much there may be.
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

    /// Something about this user has changed: enabled, disabled, deleted, made again, or in another
    /// tenant. Asks the platform, and holds, releases or moves what the user has, for all processes
    /// that share the store. Without this call the same happens when the user is next asked about.
    ///
    /// # Errors
    /// [`EngineError::Platform`] when the platform does not answer, failures of the store.
    pub async fn owner_changed(&self, owner: OwnerId) -> Result<(), EngineError> {
        self.core.access.owner_changed(owner).await
    }

    /// Moves all that a user has to another place, in one commit: administrators of that place see
    /// the records and what is made from now on, not what was sent before. Deliveries that wait end
    /// as `error: the owner moved`. Where the platform's accounts say otherwise, the user is moved
    /// back: change them first.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn move_owner(&self, owner: OwnerId, place: Realm) -> Result<(), EngineError> {
        let now = self.core.clock.now()?;
        Ok(self.core.store.assign_realm(owner, place, now).await?)
    }

    /// Removes all that a user has: keys, webhooks, tasks, events, deliveries. When this returns,
    /// nothing of it is sent or listed any more; the rows go in the background.
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

    /// Who owns a record, also one that cannot be read; `None` when there is no such record.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn owner_of(&self, record: RecordId) -> Result<Option<OwnerId>, EngineError> {
        Ok(self.core.store.owner_of(record).await?)
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
        Ok(self.core.store.unreadable(scope, limit).await?)
    }

    /// Deliveries that were counted instead of stored, by webhook, reason and hour, newest hour
    /// first: those of a scope, or of one of its webhooks. They are written once a second, or once
    /// a minute if an owner has more than 16 new ones, to the hour in which that is: a process that
    /// is killed loses what it counted since.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn dropped(
        &self,
        scope: Scope,
        webhook: Option<WebhookId>,
        limit: u32,
    ) -> Result<Vec<Dropped>, EngineError> {
        let since = DateTime::UNIX_EPOCH;
        self.dropped_since(scope, webhook, since, limit).await
    }

    async fn rejected(&self, owner: OwnerId) -> Result<Rejected, EngineError> {
        let (since, scope) = (self.core.clock.now()? - DAY, Scope::Owner(owner));
        let mut rejected = Rejected::default();
        for count in self.dropped_since(scope, None, since, COUNTS).await? {
            let sum = match count.reason {
                DropReason::Waiting => &mut rejected.waiting,
                DropReason::Occurrence => &mut rejected.occurrence,
                DropReason::Rate => &mut rejected.rate,
            };
            *sum = sum.saturating_add(count.count);
        }
        Ok(rejected)
    }

    async fn dropped_since(
        &self,
        scope: Scope,
        webhook: Option<WebhookId>,
        from: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<Dropped>, EngineError> {
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
