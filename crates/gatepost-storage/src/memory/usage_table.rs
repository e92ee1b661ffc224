//! The table of what owners use, and of what is counted of webhooks.

use std::collections::HashMap;

use gatepost_ids::OwnerId;
use webhook_model::WebhookId;

use super::rows::micros;
use super::timed::Timed;
use crate::webhooks::{DropReason, Dropped, HourlyCount, LogUsage, UsageDelta};

#[derive(Debug, Default)]
pub(super) struct Usage {
    owners: HashMap<OwnerId, LogUsage>,
    /// How many deliveries were not stored, by minute.
    pub(super) dropped: Timed<DropReason, Dropped>,
    /// What became of the deliveries, by hour.
    pub(super) counts: Timed<(), HourlyCount>,
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
        self.dropped.forget_webhook(webhook);
        self.counts.forget_webhook(webhook);
    }

    pub(super) fn put(&mut self, owner: OwnerId, usage: LogUsage) {
        self.owners.insert(owner, usage);
    }

    pub(super) fn count_dropped(&mut self, dropped: &Dropped) {
        let minute = micros(dropped.minute);
        let none = Dropped {
            minute,
            count: 0,
            ..*dropped
        };
        let key = (dropped.webhook, minute, dropped.reason);
        let sum = self.dropped.row(key, || none);
        sum.count = sum.count.saturating_add(dropped.count);
    }

    pub(super) fn add_count(&mut self, more: &HourlyCount) {
        let hour = micros(more.hour);
        let none = HourlyCount {
            webhook: more.webhook,
            hour,
            sent: 0,
            failed: 0,
            retried: 0,
            milliseconds: 0,
            bytes: 0,
        };
        let count = self.counts.row((more.webhook, hour, ()), || none);
        count.sent = count.sent.saturating_add(more.sent);
        count.failed = count.failed.saturating_add(more.failed);
        count.retried = count.retried.saturating_add(more.retried);
        count.milliseconds = count.milliseconds.saturating_add(more.milliseconds);
        count.bytes = count.bytes.saturating_add(more.bytes);
    }
}
