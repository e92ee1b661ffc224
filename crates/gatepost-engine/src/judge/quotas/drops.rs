//! Deliveries that were counted instead of stored.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, WebhookId};
use gatepost_storage::StoreError;
use gatepost_storage::webhooks::{DeliveryLog, DropReason, Dropped};
use tokio::time::Instant;

use super::spans::Spans;
use crate::guard::guarded;
use crate::observe::{Notice, Observers};
use crate::unwritten::Unwritten;

/// Webhooks, and owners, whose drops are counted between two flushes.
const MOST: usize = 65_536;
/// Where more wait than this, all are written: those of one owner do not take the room of others.
const MANY: usize = MOST / 2;
/// Counts written in one transaction.
const BITE: usize = 1_000;
/// Between two notices about one owner.
const MINUTE: Duration = Duration::from_secs(60);
/// Notices in a second: the observer has others to receive, too.
const NOTICES: usize = 2;

type Key = (OwnerId, WebhookId, DropReason);

#[derive(Debug)]
pub(in crate::judge) struct Drops {
    log: Arc<dyn DeliveryLog>,
    observers: Observers,
    counted: Mutex<Counted>,
}

#[derive(Debug, Default)]
struct Counted {
    webhooks: HashMap<Key, u64>,
    owners: HashMap<OwnerId, OfOwner>,
    spans: Spans,
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
        counted.add((owner, webhook, reason), count);
        let owners = &mut counted.owners;
        if owners.len() < MOST || owners.contains_key(&owner) {
            let of_owner = owners.entry(owner).or_default();
            of_owner.count = of_owner.count.saturating_add(count);
        }
    }

    /// Writes what was counted, as of this minute or hour, and sends notices. What is counted by
    /// the hour is written once in a minute. What the store does not take is tried again with the
    /// next.
    pub(in crate::judge) async fn flush(&self, now: DateTime<Utc>) -> Result<(), StoreError> {
        if self.lock().is_empty() {
            return Ok(());
        }
        self.notify();
        let counts = self.lock().take(now);
        let mut unwritten = Unwritten::new(counts, |(key, count)| self.lock().add(key, count));
        while let Some(bite) = unwritten.bite(BITE) {
            let dropped = self.lock().dated(bite);
            if let Err(error) = self.log.count_dropped(&dropped).await {
                self.hasten();
                return Err(error);
            }
            unwritten.written(dropped.len());
        }
        Ok(())
    }

    /// The next flush writes all.
    pub(in crate::judge) fn hasten(&self) {
        self.lock().spans.hasten();
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
            if !self.observers.notify(Notice::Dropped { owner, count }) {
                self.lock().unnoticed(owner, count);
            }
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

    /// Until no callback of the observer runs.
    #[cfg(test)]
    pub(in crate::judge) async fn observer_is_idle(&self) {
        self.observers.idle().await;
    }
}

impl Counted {
    fn is_empty(&self) -> bool {
        self.webhooks.is_empty() && self.owners.is_empty()
    }

    /// What was counted until now and is to be written.
    fn take(&mut self, now: DateTime<Utc>) -> Vec<(Key, u64)> {
        self.spans.turn(now);
        let (spans, now) = (&self.spans, Instant::now());
        let all = self.webhooks.len() > MANY;
        self.webhooks
            .extract_if(|(owner, _, _), _| all || spans.is_due(*owner, now))
            .collect()
    }

    /// A notice found no place: the owner's next one, a minute later, says this as well.
    fn unnoticed(&mut self, owner: OwnerId, count: u64) {
        if let Some(of_owner) = self.owners.get_mut(&owner) {
            of_owner.count = of_owner.count.saturating_add(count);
        }
    }

    /// As the store counts them: each with its minute, or hour.
    fn dated(&mut self, counts: &[(Key, u64)]) -> Vec<Dropped> {
        let spans = &mut self.spans;
        let dated = counts
            .iter()
            .map(|((owner, webhook, reason), count)| Dropped {
                webhook: *webhook,
                reason: *reason,
                minute: spans.of(*owner, *webhook, *reason),
                count: *count,
            });
        dated.collect()
    }

    fn add(&mut self, key: Key, count: u64) {
        if self.webhooks.len() < MOST || self.webhooks.contains_key(&key) {
            let sum = self.webhooks.entry(key).or_default();
            *sum = sum.saturating_add(count);
        } else {
            let (_, webhook, _) = key;
            guarded(|| tracing::warn!(webhook = webhook.0, count, "lost count of drops"));
        }
    }
}
