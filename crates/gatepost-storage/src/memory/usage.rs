//! What owners use, and what was counted instead of stored.

use gatepost_ids::OwnerId;
use webhook_model::WebhookId;

use super::store::Tables;
use crate::page::Scope;
use crate::webhooks::{Dropped, LogUsage, UsageDelta};

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
