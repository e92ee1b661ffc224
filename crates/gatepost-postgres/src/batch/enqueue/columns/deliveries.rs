//! The deliveries of all enqueues.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::NewDelivery;
use tokio_postgres::types::ToSql;

#[derive(Default)]
pub(super) struct DeliveryColumns<'a> {
    item: Vec<i32>,
    message_id: Vec<&'a str>,
    pub(super) webhook: Vec<i64>,
    task: Vec<Option<i64>>,
    body: Vec<&'a [u8]>,
    pub(super) due: Vec<DateTime<Utc>>,
    pub(super) lease: Vec<Option<DateTime<Utc>>>,
    pub(super) created: Vec<DateTime<Utc>>,
    cause: Vec<Option<String>>,
}

impl<'a> DeliveryColumns<'a> {
    pub(super) fn push(&mut self, number: i32, delivery: &'a NewDelivery, now: DateTime<Utc>) {
        self.item.push(number);
        self.message_id.push(delivery.message_id.as_str());
        self.webhook.push(delivery.webhook.0);
        self.task.push(delivery.task.map(|t| t.0));
        self.body.push(delivery.body.as_bytes());
        self.due.push(delivery.due);
        self.lease.push(delivery.lease_until);
        self.created.push(now);
        let cause = delivery.cause.as_ref();
        self.cause.push(cause.map(ToString::to_string));
    }

    /// The parameters without those that say which enqueue it is, and whether it waits.
    pub(super) fn plain(&self) -> [&(dyn ToSql + Sync); 6] {
        [
            &self.message_id,
            &self.webhook,
            &self.task,
            &self.body,
            &self.created,
            &self.cause,
        ]
    }

    pub(super) fn params(&self) -> [&(dyn ToSql + Sync); 9] {
        [
            &self.item,
            &self.message_id,
            &self.webhook,
            &self.task,
            &self.body,
            &self.due,
            &self.lease,
            &self.created,
            &self.cause,
        ]
    }
}
