//! What owners use, and what was counted instead of stored.

use std::cmp::Reverse;
use std::ops::Range;

use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, Place};
use webhook_model::WebhookId;

use super::store::Tables;
use crate::page::Scope;
use crate::webhooks::{Dropped, HourlyCount, LogUsage, UsageDelta};

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

    pub(super) fn dropped(&self, scope: Scope, limit: u32) -> Vec<Dropped> {
        let always = DateTime::<Utc>::MIN_UTC..DateTime::<Utc>::MAX_UTC;
        let webhooks = self.webhooks_of(scope);
        let rows = webhooks.iter().flat_map(|id| self.dropped_of(*id, &always));
        let mut rows: Vec<Dropped> = rows.collect();
        rows.sort_by_key(|d| (Reverse(d.minute), d.webhook, d.reason));
        rows.truncate(limit as usize);
        rows
    }

    pub(super) fn add_counts(&mut self, counts: &[HourlyCount]) {
        for count in counts {
            if self.records.webhooks.contains_key(&count.webhook) {
                self.usage.add_count(count);
            }
        }
    }

    pub(super) fn hourly_counts(
        &self,
        scope: Scope,
        webhook: Option<WebhookId>,
        hours: Range<DateTime<Utc>>,
        limit: u32,
    ) -> Vec<HourlyCount> {
        let webhooks = match webhook {
            Some(webhook) => vec![webhook],
            None => self.webhooks_of(scope),
        };
        let wanted = webhooks.iter().filter(|id| self.is_in(scope, **id));
        let rows = wanted.flat_map(|id| self.usage.counts.of(*id, hours.clone()));
        let mut rows: Vec<HourlyCount> = rows.map(|(_, (), count)| *count).collect();
        rows.sort_by_key(|count| (Reverse(count.hour), count.webhook));
        rows.truncate(limit as usize);
        rows
    }

    fn dropped_of(
        &self,
        webhook: WebhookId,
        minutes: &Range<DateTime<Utc>>,
    ) -> impl Iterator<Item = Dropped> {
        let rows = self.usage.dropped.of(webhook, minutes.clone());
        rows.map(move |(minute, reason, count)| Dropped {
            webhook,
            reason,
            minute,
            count: *count,
        })
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
