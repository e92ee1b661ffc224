//! A store that fails when it is told to.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use storage::webhooks::{
    AttemptRecord, Cascade, Claimed, Delivery, DeliveryId, DeliveryLog, DeliveryQuery, DueLane,
    Enqueue, Enqueued, EventQuery, Lane, LaneClaim, OutboxId, OutboxRow, OutboxStore, QueueStats,
    QueueStore, Reclaimed, RecordStore, Replay, Retention, Routes, RoutesVersion, Settled,
    Settlement, TaskQuery, TaskRow, WebhookQuery,
};
use storage::{ErrorKind, MemoryStore, Row, StoreError};
use webhook_model::{Event, EventId, Occurrence, Task, TaskId, Webhook, WebhookId};

/// How a call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Nothing is done, and the caller is told.
    Refused,
    /// All is done, but the caller is told that it failed: a commit whose answer was lost.
    AnswerLost,
    /// Nothing is done, and the store panics.
    Panic,
}

/// Fails the `nth` call of `method` once, and every call while `down`.
pub struct Faulty {
    pub inner: Arc<MemoryStore>,
    method: &'static str,
    nth: u32,
    fault: Fault,
    calls: AtomicU32,
    pub down: AtomicBool,
    /// Outcomes are not recorded, all else works: a disk with room for small changes only.
    pub no_room: AtomicBool,
    /// The outcome of this delivery is never stored.
    pub poison: Option<DeliveryId>,
    /// What the database server's clock shows.
    pub server_time: Option<DateTime<Utc>>,
}

impl Faulty {
    pub fn new(inner: Arc<MemoryStore>, method: &'static str, nth: u32, fault: Fault) -> Self {
        Self {
            inner,
            method,
            nth,
            fault,
            calls: AtomicU32::new(0),
            down: AtomicBool::new(false),
            no_room: AtomicBool::new(false),
            poison: None,
            server_time: None,
        }
    }

    /// Whether the call came about that was to fail.
    pub fn has_failed(&self) -> bool {
        self.calls.load(Ordering::SeqCst) >= self.nth
    }

    /// What is to go wrong with this call.
    fn fault(&self, method: &str) -> Option<Fault> {
        let due =
            method == self.method && self.calls.fetch_add(1, Ordering::SeqCst) + 1 == self.nth;
        if self.down.load(Ordering::SeqCst) {
            return Some(Fault::Refused);
        }
        due.then_some(self.fault)
    }
}

impl fmt::Debug for Faulty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Faulty")
    }
}

fn away() -> StoreError {
    StoreError::new(ErrorKind::Unavailable, "the test says so")
}

macro_rules! faulty {
    ($trait:ident { $(fn $name:ident($($arg:ident: $ty:ty),*) -> $ok:ty;)* } $($more:tt)*) => {
        #[async_trait]
        impl $trait for Faulty {
            $(async fn $name(&self, $($arg: $ty),*) -> Result<$ok, StoreError> {
                let fault = self.fault(stringify!($name));
                assert!(fault != Some(Fault::Panic), "the store panics as told");
                if fault == Some(Fault::Refused) {
                    return Err(away());
                }
                let done = self.inner.$name($($arg),*).await;
                if fault == Some(Fault::AnswerLost) { Err(away()) } else { done }
            })*
            $($more)*
        }
    };
}

faulty! { RecordStore {
    fn insert_webhook(webhook: &Webhook, now: DateTime<Utc>) -> Row<WebhookId, Webhook>;
    fn webhook(id: WebhookId) -> Option<Row<WebhookId, Webhook>>;
    fn list_webhooks(query: &WebhookQuery) -> Vec<Row<WebhookId, Webhook>>;
    fn update_webhook(row: &Row<WebhookId, Webhook>, now: DateTime<Utc>) -> Row<WebhookId, Webhook>;
    fn delete_webhook(id: WebhookId, cascade: Cascade, now: DateTime<Utc>) -> ();
    fn insert_task(task: &Task, now: DateTime<Utc>) -> TaskRow;
    fn task(id: TaskId) -> Option<TaskRow>;
    fn list_tasks(query: &TaskQuery) -> Vec<TaskRow>;
    fn update_task(row: &TaskRow, now: DateTime<Utc>) -> TaskRow;
    fn delete_task(id: TaskId, now: DateTime<Utc>) -> ();
    fn record_task_runs(runs: &[(TaskId, DateTime<Utc>)]) -> ();
    fn insert_event(event: &Event, now: DateTime<Utc>) -> Row<EventId, Event>;
    fn event(id: EventId) -> Option<Row<EventId, Event>>;
    fn list_events(query: &EventQuery) -> Vec<Row<EventId, Event>>;
    fn update_event(row: &Row<EventId, Event>, now: DateTime<Utc>) -> Row<EventId, Event>;
    fn delete_event(id: EventId, now: DateTime<Utc>) -> ();
    fn routes() -> Routes;
    fn routes_version() -> RoutesVersion;
}
    async fn server_time(&self) -> Result<Option<DateTime<Utc>>, StoreError> {
        let fault = self.fault("server_time");
        assert!(fault != Some(Fault::Panic), "the store panics as told");
        if fault.is_some() {
            return Err(away());
        }
        Ok(self.server_time)
    }
}

faulty! { QueueStore {
    fn enqueue(batch: Enqueue, now: DateTime<Utc>) -> Enqueued;
    fn due_lanes(after: Option<Lane>, limit: u32, now: DateTime<Utc>) -> Vec<DueLane>;
    fn next_due(now: DateTime<Utc>) -> Option<DateTime<Utc>>;
    fn claim(lanes: &[LaneClaim], lease_until: DateTime<Utc>, now: DateTime<Utc>) -> Vec<Claimed>;
    fn reclaim(limit: u32, now: DateTime<Utc>) -> Reclaimed;
}
    async fn settle(&self, settlements: Vec<Settlement>, now: DateTime<Utc>) -> Result<Vec<Settled>, StoreError> {
        if settlements.iter().any(|s| Some(s.claim.delivery) == self.poison) {
            return Err(StoreError::new(ErrorKind::Corrupt, "this one cannot be stored"));
        }
        if self.no_room.load(Ordering::SeqCst) {
            return Err(away());
        }
        let fault = self.fault("settle");
        assert!(fault != Some(Fault::Panic), "the store panics as told");
        if fault == Some(Fault::Refused) {
            return Err(away());
        }
        let done = self.inner.settle(settlements, now).await;
        if fault == Some(Fault::AnswerLost) { Err(away()) } else { done }
    }

    async fn work_arrived(&self) {
        self.inner.work_arrived().await;
    }
}

faulty! { DeliveryLog {
    fn delivery(id: DeliveryId) -> Option<Delivery>;
    fn list_deliveries(query: &DeliveryQuery) -> Vec<Delivery>;
    fn attempts(id: DeliveryId) -> Vec<AttemptRecord>;
    fn delete_delivery(id: DeliveryId, now: DateTime<Utc>) -> ();
    fn replay(which: &Replay, limit: u32, now: DateTime<Utc>) -> u64;
    fn cancel(ids: &[DeliveryId], reason: &str, now: DateTime<Utc>) -> u64;
    fn expire_held(created_before: DateTime<Utc>, limit: u32, now: DateTime<Utc>) -> u64;
    fn purge(keep: &Retention, limit: u32, now: DateTime<Utc>) -> u64;
    fn queue_stats(now: DateTime<Utc>) -> QueueStats;
} }

faulty! { OutboxStore {
    fn push_outbox(occurrence: &Occurrence, now: DateTime<Utc>) -> OutboxId;
    fn outbox(limit: u32) -> Vec<OutboxRow>;
    fn reject_outbox(id: OutboxId, reason: &str, now: DateTime<Utc>) -> ();
} }
