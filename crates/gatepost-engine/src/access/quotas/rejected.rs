//! Deliveries that were counted instead of stored, because of a quota.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use gatepost_ids::{OwnerId, WebhookId};
use gatepost_storage::StoreError;
use gatepost_storage::webhooks::{DeliveryLog, RejectReason, RejectedCount};
use tokio::time::Instant;

use crate::accumulator::{Accumulator, MOST, Unwritten};
use crate::observer::{Notice, Observers};

/// If more counts wait than this, all are written, so that those of one owner do not displace
/// others.
const MANY: usize = MOST / 2;
/// The number of counts above which an owner's are written once a minute instead of once a second.
const FEW: u32 = 16;
const MINUTE: Duration = Duration::from_secs(60);
/// Notices per second: the observer has others to receive, too.
const NOTICES: usize = 2;

type CountedBy = (OwnerId, WebhookId, RejectReason);

#[derive(Debug)]
pub(in crate::access) struct RejectedCounts {
    log: Arc<dyn DeliveryLog>,
    observers: Observers,
    counts: Accumulator<CountedBy, u64>,
    owners: Mutex<HashMap<OwnerId, OwnerCounts>>,
}

#[derive(Debug, Default)]
struct OwnerCounts {
    /// The count since the last notice.
    count: u64,
    noticed: Option<Instant>,
    /// Pairs of webhook and reason since they were written.
    counts: u32,
    written: Option<Instant>,
}

impl RejectedCounts {
    pub(in crate::access) fn new(log: Arc<dyn DeliveryLog>, observers: Observers) -> Self {
        Self {
            log,
            observers,
            counts: Accumulator::new(u64::saturating_add),
            owners: Mutex::default(),
        }
    }

    pub(in crate::access) fn add(
        &self,
        owner: OwnerId,
        webhook: WebhookId,
        reason: RejectReason,
        count: u64,
    ) {
        let is_new = self.counts.add((owner, webhook, reason), count);
        let mut owners = self.lock();
        if owners.len() < MOST || owners.contains_key(&owner) {
            let of_owner = owners.entry(owner).or_default();
            of_owner.count = of_owner.count.saturating_add(count);
            of_owner.counts += u32::from(is_new);
        }
    }

    /// Adds the counts to those of this hour, and sends notices. `all` is for the last write when
    /// the engine stops.
    pub(in crate::access) async fn flush(
        &self,
        now: DateTime<Utc>,
        all: bool,
    ) -> Result<(), StoreError> {
        self.notify();
        let hour = now.duration_trunc(TimeDelta::hours(1)).unwrap_or(now);
        let mut unwritten = self.take(all || self.counts.len() > MANY);
        while let Some(batch) = unwritten.batch() {
            let row = |&((_, webhook, reason), count): &(CountedBy, u64)| RejectedCount {
                webhook,
                reason,
                minute: hour,
                count,
            };
            let rejected: Vec<_> = batch.iter().map(row).collect();
            self.log.count_rejected(&rejected).await?;
            let (written, mut owners) = (unwritten.written(), self.lock());
            for ((owner, ..), _) in written {
                if let Some(of_owner) = owners.get_mut(&owner) {
                    of_owner.written = Some(Instant::now());
                }
            }
        }
        Ok(())
    }

    fn take(&self, all: bool) -> Unwritten<'_, CountedBy, u64> {
        let mut owners = self.lock();
        let is_due = |of: &OwnerCounts| all || of.counts <= FEW || !is_recent(of.written);
        let due = |(owner, ..): CountedBy| owners.get(&owner).is_none_or(is_due);
        let unwritten = self.counts.take(due);
        let due = owners.values_mut().filter(|of| is_due(of));
        due.for_each(|of| of.counts = 0);
        unwritten
    }

    /// Sends notices. If one cannot be given, the owner's next one, a minute later, includes it.
    fn notify(&self) {
        let mut due = Vec::new();
        self.lock().retain(|owner, of_owner| {
            let was_noticed = is_recent(of_owner.noticed);
            if !was_noticed && of_owner.count > 0 && due.len() < NOTICES {
                due.push((*owner, of_owner.count));
                (of_owner.count, of_owner.noticed) = (0, Some(Instant::now()));
                return true;
            }
            was_noticed || of_owner.count > 0 || is_recent(of_owner.written)
        });
        for (owner, count) in due {
            if !self.observers.notify(Notice::Rejected { owner, count })
                && let Some(of_owner) = self.lock().get_mut(&owner)
            {
                of_owner.count = of_owner.count.saturating_add(count);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<OwnerId, OwnerCounts>> {
        self.owners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(in crate::access) fn held(&self) -> (usize, usize) {
        (self.counts.len(), self.lock().len())
    }

    /// Waits until no callback of the observer runs.
    #[cfg(test)]
    pub(in crate::access) async fn observer_is_idle(&self) {
        self.observers.idle().await;
    }
}

fn is_recent(at: Option<Instant>) -> bool {
    at.is_some_and(|at| at.elapsed() < MINUTE)
}
