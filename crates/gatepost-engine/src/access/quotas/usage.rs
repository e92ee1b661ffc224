//! Each owner's usage of the queue and the log: the store's last answer, and the additions made
//! here since.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gatepost_ids::{OwnerId, Quota, Quotas};
use gatepost_storage::StoreError;
use gatepost_storage::webhooks::{DeliveryLog, LogUsage, UsageDelta};
use tokio::time::Instant;

use crate::accumulator::{Accumulator, MOST};
use crate::guard::guarded;

/// How long the store's answer is up to date.
const FRESH: Duration = Duration::from_secs(1);
/// How long an outdated answer is kept, unless there are many.
const KEPT: Duration = Duration::from_secs(600);
/// The pause between two counts of one owner.
const RECOUNT_PAUSE: Duration = Duration::from_secs(60);
/// Owners in one call of the store.
const BATCH: usize = 1_000;

/// How much more an owner may have pending.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Headroom {
    pub deliveries: u64,
    /// Bytes of their messages.
    pub bytes: u64,
}

#[derive(Debug)]
pub(in crate::access) struct UsageBook {
    pub(super) log: Arc<dyn DeliveryLog>,
    quotas: Arc<dyn Quotas>,
    /// The usage that the store does not know yet.
    added: Accumulator<OwnerId, UsageDelta>,
    known: Mutex<KnownUsage>,
}

#[derive(Debug, Default)]
struct KnownUsage {
    owners: HashMap<OwnerId, OwnerUsed>,
    /// Owners at a limit, in order of arrival: their usage must be counted.
    at_limit: VecDeque<OwnerId>,
}

/// The store's answer about an owner.
#[derive(Debug, Default)]
struct OwnerUsed {
    /// The usage, including what was written since.
    used: LogUsage,
    /// The time of the store's answer.
    read: Option<Instant>,
    /// The store must be asked again.
    is_wanted: bool,
    /// The owner waits to be counted.
    waits: bool,
    counted: Option<Instant>,
}

impl UsageBook {
    pub(in crate::access) fn new(log: Arc<dyn DeliveryLog>, quotas: Arc<dyn Quotas>) -> Self {
        Self {
            log,
            quotas,
            added: Accumulator::new(both),
            known: Mutex::default(),
        }
    }

    /// Returns the platform's quota; `None` if its code panics.
    pub(in crate::access) fn quota(&self, owner: OwnerId) -> Option<Quota> {
        guarded(|| self.quotas.quota(owner))
    }

    pub(in crate::access) fn headroom(&self, owner: OwnerId) -> Headroom {
        let (quota, used) = (self.quota(owner).unwrap_or_default(), self.used(owner));
        Headroom {
            deliveries: quota.waiting.saturating_sub(used.waiting),
            bytes: quota.waiting_bytes.saturating_sub(used.waiting_bytes),
        }
    }

    pub(in crate::access) fn log_is_full(&self, owner: OwnerId) -> bool {
        let quota = self.quota(owner).unwrap_or_default();
        self.used(owner).log_bytes >= quota.log_bytes
    }

    pub(in crate::access) fn add(&self, delta: UsageDelta) {
        self.added.add(delta.owner, delta);
    }

    /// Notes that the owner has fewer pending deliveries than counted: counts again if the owner is
    /// at a limit, and otherwise soon.
    pub(in crate::access) async fn lowered(&self, owner: OwnerId) -> Result<(), StoreError> {
        if self.is_at_limit(owner, &self.used(owner)) {
            // The count includes the additions made here.
            self.write().await?;
            self.count(owner).await;
        } else {
            self.lock().count_soon(owner);
        }
        Ok(())
    }

    /// Writes the additions, then reads the requested answers.
    pub(in crate::access) async fn flush(&self) -> Result<(), StoreError> {
        self.write().await?;
        let wanted = self.lock().wanted();
        for owners in wanted.chunks(BATCH) {
            let used = self.log.log_usage(owners).await?;
            for (owner, used) in owners.iter().zip(used) {
                self.is_used(*owner, used);
            }
        }
        Ok(())
    }

    async fn write(&self) -> Result<(), StoreError> {
        let mut unwritten = self.added.take(|_| true);
        while let Some(batch) = unwritten.batch() {
            let deltas: Vec<_> = batch.iter().map(|(_, delta)| *delta).collect();
            self.log.add_usage(&deltas).await?;
            let (written, mut known) = (unwritten.written(), self.lock());
            for (owner, delta) in written {
                if let Some(of_owner) = known.owners.get_mut(&owner) {
                    of_owner.used = plus(of_owner.used, &delta);
                }
            }
        }
        Ok(())
    }

    /// Returns the known usage. The next flush asks the store if it has not just been asked.
    fn used(&self, owner: OwnerId) -> LogUsage {
        let used = self.lock().look(owner);
        let added = self.added.get(owner);
        added.map_or(used, |added| plus(used, &added))
    }

    /// Sets the usage that the store has just returned.
    pub(super) fn is_used(&self, owner: OwnerId, used: LogUsage) {
        let is_at_limit = self.is_at_limit(owner, &used);
        let mut known = self.lock();
        let of_owner = known.owners.entry(owner).or_default();
        (of_owner.used, of_owner.read) = (used, Some(Instant::now()));
        if is_at_limit && !is_within(of_owner.counted, RECOUNT_PAUSE) {
            known.count_soon(owner);
        }
    }

    /// The owner at a limit who has waited longest.
    pub(super) fn next_at_limit(&self) -> Option<OwnerId> {
        let mut known = self.lock();
        let owner = known.at_limit.pop_front()?;
        if let Some(of_owner) = known.owners.get_mut(&owner) {
            (of_owner.waits, of_owner.counted) = (false, Some(Instant::now()));
        }
        Some(owner)
    }

    fn is_at_limit(&self, owner: OwnerId, used: &LogUsage) -> bool {
        let quota = self.quota(owner).unwrap_or_default();
        used.waiting >= quota.waiting
            || used.waiting_bytes >= quota.waiting_bytes
            || used.log_bytes >= quota.log_bytes
    }

    fn lock(&self) -> MutexGuard<'_, KnownUsage> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(in crate::access) fn held(&self) -> usize {
        let known = self.lock();
        let most = known.owners.len().max(known.at_limit.len());
        most.max(self.added.len())
    }
}

impl KnownUsage {
    fn look(&mut self, owner: OwnerId) -> LogUsage {
        if self.owners.len() >= MOST && !self.owners.contains_key(&owner) {
            return LogUsage::default();
        }
        let of_owner = self.owners.entry(owner).or_default();
        of_owner.is_wanted |= !is_within(of_owner.read, FRESH);
        of_owner.used
    }

    /// Returns the owners about whose usage the store must be asked. Forgets those not asked about
    /// for long.
    fn wanted(&mut self) -> Vec<OwnerId> {
        let is_much = self.owners.len() > MOST / 2;
        let kept = if is_much { FRESH } else { KEPT };
        self.owners
            .retain(|_, of| of.is_wanted || of.waits || is_within(of.read, kept));
        let wanted = self.owners.iter_mut().filter(|(_, of)| of.is_wanted);
        let wanted = wanted.map(|(owner, of)| {
            of.is_wanted = false;
            *owner
        });
        wanted.collect()
    }

    fn count_soon(&mut self, owner: OwnerId) {
        if let Some(of_owner) = self.owners.get_mut(&owner)
            && !of_owner.waits
        {
            of_owner.waits = true;
            self.at_limit.push_back(owner);
        }
    }
}

fn is_within(at: Option<Instant>, time: Duration) -> bool {
    at.is_some_and(|at| at.elapsed() < time)
}

fn both(sum: UsageDelta, more: UsageDelta) -> UsageDelta {
    UsageDelta {
        owner: sum.owner,
        waiting: sum.waiting.saturating_add(more.waiting),
        waiting_bytes: sum.waiting_bytes.saturating_add(more.waiting_bytes),
        log_bytes: sum.log_bytes.saturating_add(more.log_bytes),
    }
}

fn plus(used: LogUsage, delta: &UsageDelta) -> LogUsage {
    LogUsage {
        waiting: used.waiting.saturating_add_signed(delta.waiting),
        waiting_bytes: used
            .waiting_bytes
            .saturating_add_signed(delta.waiting_bytes),
        log_bytes: used.log_bytes.saturating_add_signed(delta.log_bytes),
    }
}
