//! What owners have and use, and owners who move or go.

use std::sync::Arc;

use chrono::TimeDelta;
use gatepost_ids::{Place, Quota};
use gatepost_storage::Scope;
use gatepost_storage::owners::{Gone, RecordUsage};
use gatepost_storage::webhooks::{
    DropReason, Dropped, LogUsage, RecordId, UnreadableRecord, WebhookStore,
};
use webhook_model::OwnerId;

use crate::clock::EngineClock;
use crate::error::EngineError;
use crate::judge::Judge;

/// For how long it is shown what was not stored.
const DAY: TimeDelta = TimeDelta::days(1);
/// Counts that are summed up at most: there are 16 in a minute, and for each webhook one an hour.
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

#[derive(Debug)]
pub(crate) struct Owners {
    pub store: Arc<dyn WebhookStore>,
    pub clock: Arc<EngineClock>,
    pub judge: Arc<Judge>,
}

impl Owners {
    pub(crate) async fn usage(&self, owner: OwnerId) -> Result<Usage, EngineError> {
        let log = self.store.log_usage(&[owner]).await?;
        Ok(Usage {
            quota: self.judge.quota(owner)?,
            records: self.store.record_usage(owner).await?,
            log: log.first().copied().unwrap_or_default(),
            runs_in_minute: self.judge.runs_in_minute(owner)?,
            rejected: self.rejected(owner).await?,
        })
    }

    async fn rejected(&self, owner: OwnerId) -> Result<Rejected, EngineError> {
        let since = self.clock.now()? - DAY;
        let counts = self.store.dropped(Scope::Owner(owner), COUNTS).await?;
        let mut rejected = Rejected::default();
        for count in counts.iter().take_while(|count| count.minute >= since) {
            let sum = match count.reason {
                DropReason::Waiting => &mut rejected.waiting,
                DropReason::Occurrence => &mut rejected.occurrence,
                DropReason::Rate => &mut rejected.rate,
            };
            *sum = sum.saturating_add(count.count);
        }
        Ok(rejected)
    }

    pub(crate) async fn changed(&self, owner: OwnerId) -> Result<(), EngineError> {
        self.judge.owner_changed(owner).await
    }

    pub(crate) async fn relocate(&self, owner: OwnerId, place: Place) -> Result<(), EngineError> {
        let now = self.clock.now()?;
        Ok(self.store.place_owner(owner, place, now).await?)
    }

    pub(crate) async fn remove(&self, gone: Gone) -> Result<(), EngineError> {
        Ok(self.store.mark_gone(gone, self.clock.now()?).await?)
    }

    pub(crate) async fn owner_of(&self, record: RecordId) -> Result<Option<OwnerId>, EngineError> {
        Ok(self.store.owner_of(record).await?)
    }

    pub(crate) async fn unreadable(
        &self,
        scope: Scope,
        limit: u32,
    ) -> Result<Vec<UnreadableRecord>, EngineError> {
        Ok(self.store.unreadable(scope, limit).await?)
    }

    pub(crate) async fn dropped(
        &self,
        scope: Scope,
        limit: u32,
    ) -> Result<Vec<Dropped>, EngineError> {
        Ok(self.store.dropped(scope, limit).await?)
    }
}
