//! Enqueues as columns, and the statement that takes them.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{Enqueue, Origin, OutboxId};
use tokio_postgres::types::ToSql;
use webhook_model::OccurrenceId;

const ANY: &str = include_str!("../../sql/queue/enqueue.sql");
const DIRECT: &str = include_str!("../../sql/queue/enqueue_direct.sql");

/// An enqueue and its `now`.
pub(super) type Item = (Enqueue, DateTime<Utc>);

#[derive(Default)]
pub(super) struct Columns<'a> {
    routes: Vec<Option<i64>>,
    occurrence: Vec<Option<&'a str>>,
    outbox: Vec<Option<i64>>,
    now: Vec<DateTime<Utc>>,
    item: Vec<i32>,
    message_id: Vec<&'a str>,
    webhook: Vec<i64>,
    task: Vec<Option<i64>>,
    body: Vec<&'a [u8]>,
    due: Vec<DateTime<Utc>>,
    lease: Vec<Option<DateTime<Utc>>>,
    created: Vec<DateTime<Utc>>,
}

impl<'a> Columns<'a> {
    pub(super) fn of(items: &[&'a Item]) -> Self {
        let mut columns = Self::default();
        for (number, (batch, now)) in (1..).zip(items.iter().copied()) {
            columns.routes.push(batch.routes.map(|v| v.0));
            let (occurrence, outbox) = parts(&batch.origin);
            columns
                .occurrence
                .push(occurrence.map(OccurrenceId::as_str));
            columns.outbox.push(outbox.map(|row| row.0));
            columns.now.push(*now);
            for delivery in &batch.deliveries {
                columns.item.push(number);
                columns.message_id.push(delivery.message_id.as_str());
                columns.webhook.push(delivery.webhook.0);
                columns.task.push(delivery.task.map(|t| t.0));
                columns.body.push(delivery.body.as_bytes());
                columns.due.push(delivery.due);
                columns.lease.push(delivery.lease_until);
                columns.created.push(*now);
            }
        }
        columns
    }

    pub(super) fn is_direct(&self) -> bool {
        self.occurrence.iter().all(Option::is_none) && self.outbox.iter().all(Option::is_none)
    }

    pub(super) fn sql(&self) -> &'static str {
        if self.is_direct() { DIRECT } else { ANY }
    }

    pub(super) fn params(&self) -> Vec<&(dyn ToSql + Sync)> {
        let mut params: Vec<&(dyn ToSql + Sync)> = vec![&self.routes];
        if !self.is_direct() {
            params.extend([
                &self.occurrence as &(dyn ToSql + Sync),
                &self.outbox,
                &self.now,
            ]);
        }
        params.extend([
            &self.item as &(dyn ToSql + Sync),
            &self.message_id,
            &self.webhook,
            &self.task,
            &self.body,
            &self.due,
            &self.lease,
            &self.created,
        ]);
        params
    }
}

/// What identifies a origin.
pub(super) fn parts(origin: &Origin) -> (Option<&OccurrenceId>, Option<OutboxId>) {
    match origin {
        Origin::Direct => (None, None),
        Origin::Occurrence(id) => (Some(id), None),
        Origin::Outbox { row, occurrence } => (occurrence.as_ref(), Some(*row)),
    }
}
