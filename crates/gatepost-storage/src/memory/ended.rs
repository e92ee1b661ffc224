//! The indexes that find what retention removes.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use webhook_model::WebhookId;

use super::rows::Groups;
use super::slot::Slot;
use crate::webhooks::DeliveryId;

#[derive(Debug, Default)]
pub(super) struct Ended {
    /// Ended deliveries, by age.
    by_age: BTreeSet<(DateTime<Utc>, DeliveryId)>,
    of: Groups<WebhookId, DeliveryId>,
    /// How many of a webhook have ended; no entry for none.
    counts: BTreeSet<(u64, WebhookId)>,
    /// Bytes of the messages and responses of all deliveries, ended or not.
    bytes: u64,
}

impl Ended {
    pub(super) fn log_bytes(&self) -> u64 {
        self.bytes
    }

    /// What has ended, oldest first.
    pub(super) fn oldest(&self) -> impl Iterator<Item = (DateTime<Utc>, DeliveryId)> {
        self.by_age.iter().copied()
    }

    /// What is not among the newest of its webhook; of each webhook the oldest first.
    pub(super) fn beyond_newest(&self, newest: u64) -> impl Iterator<Item = DeliveryId> {
        let counts = self.counts.iter().rev();
        let too_many = counts.take_while(move |(count, _)| *count > newest);
        too_many.flat_map(move |(count, webhook)| {
            let rows = usize::try_from(count - newest).unwrap_or(usize::MAX);
            self.of.of(*webhook).take(rows)
        })
    }

    pub(super) fn add(&mut self, slot: &Slot) {
        self.bytes += slot.bytes();
        let d = &slot.delivery;
        if d.state.is_final() {
            self.by_age.insert((d.created, d.id));
            self.recount(d.webhook, |of| of.add(d.webhook, d.id));
        }
    }

    pub(super) fn remove(&mut self, slot: &Slot) {
        self.bytes -= slot.bytes();
        let d = &slot.delivery;
        if d.state.is_final() {
            self.by_age.remove(&(d.created, d.id));
            self.recount(d.webhook, |of| of.remove(d.webhook, d.id));
        }
    }

    fn recount(
        &mut self,
        webhook: WebhookId,
        change: impl FnOnce(&mut Groups<WebhookId, DeliveryId>),
    ) {
        self.counts.remove(&(self.of.count(webhook), webhook));
        change(&mut self.of);
        let count = self.of.count(webhook);
        if count > 0 {
            self.counts.insert((count, webhook));
        }
    }
}
