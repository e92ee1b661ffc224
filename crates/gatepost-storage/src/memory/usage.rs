//! What owners use, and what was counted instead of stored.

use std::cmp::Reverse;

use gatepost_ids::{OwnerId, Place};
use webhook_model::WebhookId;

use super::store::Tables;
use crate::page::Scope;
use crate::webhooks::{
    CounterKind, CounterQuery, Counters, Dropped, HourlyCount, LogUsage, UsageDelta,
};

impl Tables {
    pub(super) fn add_usage(&mut self, deltas: &[UsageDelta]) {
        for delta in deltas {
            if !self.owners.is_gone(delta.owner) {
                self.usage.add(delta);
            }
        }
    }

    /// What is hidden leaves at the same time.
    pub(super) fn recount_usage(&mut self, owner: OwnerId, share: u64) -> LogUsage {
        let mut usage = LogUsage::default();
        let mut ended = Vec::new();
        let ids = self.deliveries.listed.by_owner.of(owner);
        for slot in ids.filter_map(|id| self.deliveries.get(id)) {
            let body = slot.delivery.body.len() as u64;
            if slot.delivery.state.is_final() {
                ended.push((slot.delivery.id, slot.bytes()));
            } else {
                usage.waiting += 1;
                usage.waiting_bytes += body;
            }
            usage.log_bytes += slot.bytes();
        }
        let mut left: u64 = ended.iter().map(|(_, bytes)| bytes).sum();
        for (id, bytes) in ended {
            if left <= share {
                break;
            }
            self.deliveries.remove(id);
            left -= bytes;
            usage.log_bytes -= bytes;
        }
        if !self.owners.is_gone(owner) {
            self.usage.put(owner, usage);
        }
        usage
    }

    pub(super) fn count_dropped(&mut self, dropped: &[Dropped]) {
        for d in dropped {
            if self.records.webhooks.contains_key(&d.webhook) {
                self.usage.count_dropped(d);
            }
        }
    }

    pub(super) fn add_counts(&mut self, counts: &[HourlyCount]) {
        for count in counts {
            if self.records.webhooks.contains_key(&count.webhook) {
                self.usage.add_count(count);
            }
        }
    }

    pub(super) fn counters(&self, query: &CounterQuery) -> Counters {
        let all = || self.webhooks_of(query.scope);
        let webhooks = query.webhooks.clone().unwrap_or_else(all).into_iter();
        let wanted = webhooks.filter(|id| self.is_in(query.scope, *id));
        let (times, limit) = (query.from..query.before, query.limit as usize);
        let mut found = Counters::default();
        match query.kind {
            CounterKind::Hourly => {
                let rows = wanted.flat_map(|id| self.usage.counts.of(id, times.clone()));
                found.hourly = rows.copied().collect();
                found.hourly.sort_by_key(|c| (Reverse(c.hour), c.webhook));
                found.hourly.truncate(limit);
            }
            CounterKind::Rejected => {
                let rows = wanted.flat_map(|id| self.usage.dropped.of(id, times.clone()));
                found.rejected = rows.copied().collect();
                let order = |d: &Dropped| (Reverse(d.minute), d.webhook, d.reason);
                found.rejected.sort_by_key(order);
                found.rejected.truncate(limit);
            }
        }
        found
    }

    fn webhooks_of(&self, scope: Scope) -> Vec<WebhookId> {
        match self.owners.of(scope) {
            None => self.records.webhooks.keys().copied().collect(),
            Some(owners) => {
                let owned = &self.records.owned.webhooks;
                owners.iter().flat_map(|owner| owned.of(*owner)).collect()
            }
        }
    }

    fn is_in(&self, scope: Scope, webhook: WebhookId) -> bool {
        let row = self.records.webhooks.get(&webhook);
        row.is_some_and(|row| match scope {
            Scope::All => true,
            Scope::Owner(owner) => row.owner == owner,
            Scope::Tenant(tenant) => self.owners.place(row.owner) == Place::Tenant(tenant),
        })
    }
}
