//! Deliveries that were counted instead of stored.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use gatepost_ids::{OwnerId, WebhookId};
use gatepost_storage::StoreError;
use gatepost_storage::webhooks::{DeliveryLog, DropReason, Dropped};
use tokio::time::Instant;

use crate::guard::guarded;
use crate::observe::{Notice, Observers};
use crate::unwritten::Unwritten;

/// Webhooks, and owners, whose drops are counted between two flushes.
const MOST: usize = 65_536;
/// Counts written in one transaction.
const BITE: usize = 1_000;
/// Between two notices about one owner.
const MINUTE: Duration = Duration::from_secs(60);
/// Notices in a second: the observer has others to receive, too.
const NOTICES: usize = 2;

#[derive(Debug)]
pub(in crate::judge) struct Drops {
    log: Arc<dyn DeliveryLog>,
    observers: Observers,
    counted: Mutex<Counted>,
}

#[derive(Debug, Default)]
struct Counted {
    webhooks: HashMap<(WebhookId, DropReason), u64>,
    owners: HashMap<OwnerId, OfOwner>,
}

#[derive(Debug, Default)]
struct OfOwner {
    /// Since the last notice.
    count: u64,
    noticed: Option<Instant>,
}

impl Drops {
    pub(in crate::judge) fn new(log: Arc<dyn DeliveryLog>, observers: Observers) -> Self {
        Self {
            log,
            observers,
            counted: Mutex::default(),
        }
    }

    pub(in crate::judge) fn note(
        &self,
        owner: OwnerId,
        webhook: WebhookId,
        reason: DropReason,
        count: u64,
    ) {
        let mut counted = self.lock();
        counted.add(webhook, reason, count);
        let owners = &mut counted.owners;
        if owners.len() < MOST || owners.contains_key(&owner) {
            let of_owner = owners.entry(owner).or_default();
            of_owner.count = of_owner.count.saturating_add(count);
        }
    }

    /// Writes what was counted, as of this minute, and sends notices. What the store does not take
    /// is tried again with the next.
    pub(in crate::judge) async fn flush(&self, now: DateTime<Utc>) -> Result<(), StoreError> {
        self.notify();
        let minute = now.duration_trunc(TimeDelta::minutes(1)).unwrap_or(now);
        let counts = self.lock().webhooks.drain().collect();
        let mut unwritten = Unwritten::new(counts, |((webhook, reason), count)| {
            self.lock().add(webhook, reason, count);
        });
        while let Some(bite) = unwritten.bite(BITE) {
            let dropped = bite.iter().map(|((webhook, reason), count)| Dropped {
                webhook: *webhook,
                reason: *reason,
                minute,
                count: *count,
            });
            let dropped: Vec<_> = dropped.collect();
            self.log.count_dropped(&dropped).await?;
            unwritten.written(dropped.len());
        }
        Ok(())
    }

    fn notify(&self) {
        let mut due = Vec::new();
        self.lock().owners.retain(|owner, of_owner| {
            let recent = of_owner.noticed.is_some_and(|at| at.elapsed() < MINUTE);
            if !recent && of_owner.count > 0 && due.len() < NOTICES {
                due.push((*owner, of_owner.count));
                *of_owner = OfOwner {
                    count: 0,
                    noticed: Some(Instant::now()),
                };
                return true;
            }
            recent || of_owner.count > 0
        });
        for (owner, count) in due {
            self.observers.notify(Notice::Dropped { owner, count });
        }
    }

    fn lock(&self) -> MutexGuard<'_, Counted> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(in crate::judge) fn held(&self) -> (usize, usize) {
        let counted = self.lock();
        (counted.webhooks.len(), counted.owners.len())
    }
}

impl Counted {
    fn add(&mut self, webhook: WebhookId, reason: DropReason, count: u64) {
        let key = (webhook, reason);
        if self.webhooks.len() < MOST || self.webhooks.contains_key(&key) {
            let sum = self.webhooks.entry(key).or_default();
            *sum = sum.saturating_add(count);
        } else {
            guarded(|| tracing::warn!(webhook = webhook.0, count, "lost count of drops"));
        }
    }
}
