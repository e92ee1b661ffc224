//! The table of what owners use, and of what was counted instead of stored.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};
use gatepost_ids::OwnerId;
use webhook_model::WebhookId;

use super::rows::micros;
use crate::webhooks::{DropReason, Dropped, LogUsage, UsageDelta};

type Counted = (WebhookId, DateTime<Utc>, DropReason);

#[derive(Debug, Default)]
pub(super) struct Usage {
    owners: HashMap<OwnerId, LogUsage>,
    dropped: BTreeMap<Counted, u64>,
}

impl Usage {
    pub(super) fn of(&self, owner: OwnerId) -> LogUsage {
        self.owners.get(&owner).copied().unwrap_or_default()
    }

    pub(super) fn add(&mut self, delta: &UsageDelta) {
        let usage = self.owners.entry(delta.owner).or_default();
        usage.waiting = usage.waiting.saturating_add_signed(delta.waiting);
        usage.waiting_bytes = usage
            .waiting_bytes
            .saturating_add_signed(delta.waiting_bytes);
        usage.log_bytes = usage.log_bytes.saturating_add_signed(delta.log_bytes);
    }

    pub(super) fn forget(&mut self, owner: OwnerId) {
        self.owners.remove(&owner);
    }

    pub(super) fn forget_webhook(&mut self, webhook: WebhookId) {
        self.dropped.retain(|(of, _, _), _| *of != webhook);
    }

    /// Removes what is older, at most `limit`. Returns how many.
    pub(super) fn purge(&mut self, before: DateTime<Utc>, limit: usize) -> usize {
        let old = self
            .dropped
            .keys()
            .filter(|(_, minute, _)| *minute < before);
        let old: Vec<Counted> = old.take(limit).copied().collect();
        for key in &old {
            self.dropped.remove(key);
        }
        old.len()
    }

    pub(super) fn dropped_of(&self, webhook: WebhookId) -> impl Iterator<Item = Dropped> {
        let from = (webhook, DateTime::<Utc>::MIN_UTC, DropReason::Waiting);
        let own = self.dropped.range(from..);
        let own = own.take_while(move |((of, _, _), _)| *of == webhook);
        own.map(|((webhook, minute, reason), count)| Dropped {
            webhook: *webhook,
            reason: *reason,
            minute: *minute,
            count: *count,
        })
    }

    pub(super) fn put(&mut self, owner: OwnerId, usage: LogUsage) {
        self.owners.insert(owner, usage);
    }

    pub(super) fn count_dropped(&mut self, dropped: &Dropped) {
        let key = (dropped.webhook, micros(dropped.minute), dropped.reason);
        let count = self.dropped.entry(key).or_default();
        *count = count.saturating_add(dropped.count);
    }
}
