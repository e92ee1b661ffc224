//! What owners use, and what was counted instead of stored.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};
use gatepost_ids::OwnerId;
use webhook_model::WebhookId;

use super::rows::micros;
use super::store::Tables;
use crate::page::Scope;
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

    fn add(&mut self, delta: &UsageDelta) {
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

    fn dropped_of(&self, webhook: WebhookId) -> impl Iterator<Item = Dropped> {
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
}

impl Tables {
    pub(super) fn add_usage(&mut self, deltas: &[UsageDelta]) {
        for delta in deltas {
            if !self.owners.is_gone(delta.owner) {
                self.usage.add(delta);
            }
        }
    }

    pub(super) fn recount_usage(&mut self, owner: OwnerId) -> LogUsage {
        let mut usage = LogUsage::default();
        let ids = self.deliveries.listed.by_owner.of(owner);
        for slot in ids.filter_map(|id| self.deliveries.get(id)) {
            let body = slot.delivery.body.len() as u64;
            if !slot.delivery.state.is_final() {
                usage.waiting += 1;
                usage.waiting_bytes += body;
            }
            let responses = slot.log.iter();
            let responses = responses.map(|a| a.response_head.len() + a.response_body.len());
            usage.log_bytes += body + responses.sum::<usize>() as u64;
        }
        if !self.owners.is_gone(owner) {
            self.usage.owners.insert(owner, usage);
        }
        usage
    }

    pub(super) fn count_dropped(&mut self, dropped: &[Dropped]) {
        for d in dropped {
            if self.records.webhooks.contains_key(&d.webhook) {
                let key = (d.webhook, micros(d.minute), d.reason);
                let count = self.usage.dropped.entry(key).or_default();
                *count = count.saturating_add(d.count);
            }
        }
    }

    pub(super) fn dropped(&self, scope: Scope, limit: u32) -> Vec<Dropped> {
        let webhooks: Vec<WebhookId> = match self.owners.of(scope) {
            None => self.records.webhooks.keys().copied().collect(),
            Some(owners) => {
                let owned = &self.records.owned.webhooks;
                owners.iter().flat_map(|owner| owned.of(*owner)).collect()
            }
        };
        let rows = webhooks.iter().flat_map(|id| self.usage.dropped_of(*id));
        let mut rows: Vec<Dropped> = rows.collect();
        rows.sort_by_key(|d| (std::cmp::Reverse(d.minute), d.webhook, d.reason));
        rows.truncate(limit as usize);
        rows
    }
}
