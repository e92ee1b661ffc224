//! How much of the queue and the log is each owner's: what the store last said, and what was added
//! here since.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gatepost_ids::{OwnerId, Quota, Quotas};
use gatepost_storage::StoreError;
use gatepost_storage::webhooks::{DeliveryLog, LogUsage, UsageDelta};
use tokio::time::Instant;

use super::over::Over;
use crate::guard::guarded;
use crate::judge::kept::Kept;
use crate::unwritten::Unwritten;

/// How long the store's answer is up to date.
const FRESH: Duration = Duration::from_secs(1);
/// How long it is better than none.
const KEPT: Duration = Duration::from_secs(600);
/// Owners whose usage is kept, asked for or added to.
pub(super) const MOST: usize = 65_536;
/// Owners in one call of the store.
const BITE: usize = 1_000;
/// Between two counts of one owner.
pub(super) const RECOUNT_PAUSE: Duration = Duration::from_secs(60);

/// How much more may wait for an owner.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Room {
    pub deliveries: u64,
    /// Bytes of their messages.
    pub bytes: u64,
}

#[derive(Debug)]
pub(in crate::judge) struct Usage {
    pub(super) log: Arc<dyn DeliveryLog>,
    quotas: Arc<dyn Quotas>,
    pub(super) books: Mutex<Books>,
}

#[derive(Debug)]
pub(super) struct Books {
    /// What the store said, with what was written since; and when it said so.
    used: Kept<OwnerId, (LogUsage, Instant)>,
    /// What the store is not told yet.
    deltas: HashMap<OwnerId, UsageDelta>,
    /// Who is to be asked for.
    wanted: HashMap<OwnerId, Quota>,
    /// Who was at a limit when the store was asked.
    pub(super) over: Over,
    pub(super) recounted: Kept<OwnerId, ()>,
}

impl Usage {
    pub(in crate::judge) fn new(log: Arc<dyn DeliveryLog>, quotas: Arc<dyn Quotas>) -> Self {
        Self {
            log,
            quotas,
            books: Mutex::new(Books {
                used: Kept::new(KEPT, MOST),
                deltas: HashMap::new(),
                wanted: HashMap::new(),
                over: Over::default(),
                recounted: Kept::new(RECOUNT_PAUSE, MOST),
            }),
        }
    }

    /// What the platform allows; `None` if its code panics.
    pub(in crate::judge) fn quota(&self, owner: OwnerId) -> Option<Quota> {
        guarded(|| self.quotas.quota(owner))
    }

    pub(in crate::judge) fn room(&self, owner: OwnerId) -> Room {
        let quota = self.quota(owner).unwrap_or_default();
        let used = self.lock().used(owner, quota);
        Room {
            deliveries: quota.waiting.saturating_sub(used.waiting),
            bytes: quota.waiting_bytes.saturating_sub(used.waiting_bytes),
        }
    }

    pub(in crate::judge) fn log_is_full(&self, owner: OwnerId) -> bool {
        let quota = self.quota(owner).unwrap_or_default();
        self.lock().used(owner, quota).log_bytes >= quota.log_bytes
    }

    pub(in crate::judge) fn add(&self, delta: UsageDelta) {
        self.lock().add(delta);
    }

    /// What waited for this owner is less now than was counted: counts again if the owner is at a
    /// limit, and otherwise soon.
    pub(in crate::judge) async fn lowered(&self, owner: OwnerId) -> Result<(), StoreError> {
        let quota = self.quota(owner).unwrap_or_default();
        let used = self.lock().used(owner, quota);
        if is_over(&used, &quota) {
            // The count has what was added here.
            self.write().await?;
            self.count(owner).await;
        } else if self.lock().over.len() < MOST {
            self.lock().over.push(owner);
        }
        Ok(())
    }

    /// Writes what was added, then reads what was asked for.
    pub(in crate::judge) async fn flush(&self) -> Result<(), StoreError> {
        self.write().await?;
        self.read().await
    }

    async fn write(&self) -> Result<(), StoreError> {
        let deltas = self.lock().deltas.drain().map(|(_, delta)| delta).collect();
        let mut unwritten = Unwritten::new(deltas, |delta| self.lock().add(delta));
        while let Some(bite) = unwritten.bite(BITE) {
            let count = bite.len();
            self.log.add_usage(bite).await?;
            let written = unwritten.written(count);
            let mut books = self.lock();
            written.iter().for_each(|delta| books.written(delta));
        }
        Ok(())
    }

    async fn read(&self) -> Result<(), StoreError> {
        let wanted: Vec<_> = self.lock().wanted.drain().collect();
        for bite in wanted.chunks(BITE) {
            let owners: Vec<_> = bite.iter().map(|(owner, _)| *owner).collect();
            let used = self.log.log_usage(&owners).await?;
            let mut books = self.lock();
            for ((owner, quota), used) in bite.iter().zip(used) {
                books.is_used(*owner, used, quota);
            }
        }
        Ok(())
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(in crate::judge) fn held(&self) -> usize {
        let books = self.lock();
        let maps = [books.deltas.len(), books.wanted.len(), books.over.len()];
        maps.into_iter().max().unwrap().max(books.used.count())
    }
}

impl Books {
    /// As far as is known. The store is asked with the next flush if it has not just been.
    fn used(&mut self, owner: OwnerId, quota: Quota) -> LogUsage {
        let last = self.used.last(owner).copied();
        if last.is_none_or(|(_, at)| at.elapsed() >= FRESH) && self.wanted.len() < MOST {
            self.wanted.insert(owner, quota);
        }
        let used = last.map(|(used, _)| used).unwrap_or_default();
        match self.deltas.get(&owner) {
            Some(delta) => plus(used, delta),
            None => used,
        }
    }

    fn add(&mut self, delta: UsageDelta) {
        if self.deltas.len() >= MOST && !self.deltas.contains_key(&delta.owner) {
            // A count of the store's own mends it.
            guarded(|| tracing::warn!(owner = %delta.owner, "lost track of an owner's usage"));
            return;
        }
        let sum = self.deltas.entry(delta.owner).or_insert(UsageDelta {
            waiting: 0,
            waiting_bytes: 0,
            log_bytes: 0,
            ..delta
        });
        sum.waiting = sum.waiting.saturating_add(delta.waiting);
        sum.waiting_bytes = sum.waiting_bytes.saturating_add(delta.waiting_bytes);
        sum.log_bytes = sum.log_bytes.saturating_add(delta.log_bytes);
    }

    /// What was written counts on, until the store is asked again.
    fn written(&mut self, delta: &UsageDelta) {
        if let Some((used, _)) = self.used.last_mut(delta.owner) {
            *used = plus(*used, delta);
        }
    }

    pub(super) fn is_used(&mut self, owner: OwnerId, used: LogUsage, quota: &Quota) {
        self.used.put(owner, (used, Instant::now()), KEPT);
        let over = is_over(&used, quota);
        if over && self.recounted.get(owner).is_none() && self.over.len() < MOST {
            self.over.push(owner);
        }
    }
}

fn is_over(used: &LogUsage, quota: &Quota) -> bool {
    used.waiting >= quota.waiting
        || used.waiting_bytes >= quota.waiting_bytes
        || used.log_bytes >= quota.log_bytes
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
