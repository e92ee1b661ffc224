//! A store that holds one call until it is let go on.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use apikey_core::{ApiKey, KeyId, LookupId};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_storage::keys::{KeyChanges, KeyGeneration, KeyQuery, KeyRow, Login};
use gatepost_storage::webhooks::{
    AttemptRecord, Cascade, Claimed, Delivery, DeliveryId, DeliveryLog, DeliveryQuery, DueLane,
    Enqueue, Enqueued, EventQuery, Lane, LaneClaim, OutboxId, OutboxRow, OutboxStore, PurgeBounds,
    QueueStats, QueueStore, Reclaimed, RecordStore, Replay, Routes, RoutesVersion, Settled,
    Settlement, TaskQuery, TaskRow, WebhookQuery,
};
use gatepost_storage::{KeyStore, MemoryStore, Row, StoreError};
use tokio::sync::Semaphore;
use webhook_model::{Event, EventId, Occurrence, Task, TaskId, Webhook, WebhookId};

/// Where in a call the store holds it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum When {
    /// Nothing is stored yet.
    Before,
    /// All is stored, and the caller does not know it yet.
    After,
}

/// Holds one call of a store.
#[derive(Debug)]
pub struct Gate {
    plan: Mutex<Option<(&'static str, u64, When)>>,
    /// One permit for a call that has come to the gate.
    arrived: Semaphore,
    open: Semaphore,
    /// One permit for a call that has ended: it was carried out, or dropped.
    ended: Semaphore,
    carried_out: Mutex<bool>,
}

impl Default for Gate {
    fn default() -> Self {
        Self {
            plan: Mutex::new(None),
            arrived: Semaphore::new(0),
            open: Semaphore::new(0),
            ended: Semaphore::new(0),
            carried_out: Mutex::new(false),
        }
    }
}

impl Gate {
    /// Lets the `nth` call of this method from now on be held, once. The first is 1.
    pub fn hold(&self, method: &'static str, nth: u64, when: When) {
        *lock(&self.plan) = Some((method, nth, when));
    }

    /// Ready when the call is held.
    pub async fn arrived(&self) {
        pass(&self.arrived).await;
    }

    /// Lets the held call go on.
    pub fn open(&self) {
        self.open.add_permits(1);
    }

    /// Ready when the held call has ended, carried out or dropped: whether it was carried out.
    pub async fn ended(&self) -> bool {
        pass(&self.ended).await;
        *lock(&self.carried_out)
    }

    fn when(&self, method: &'static str) -> Option<When> {
        let mut plan = lock(&self.plan);
        let (planned, nth, when) = (*plan)?;
        if planned != method {
            return None;
        }
        *plan = (nth > 1).then_some((planned, nth - 1, when));
        (nth <= 1).then_some(when)
    }

    async fn call<T>(
        &self,
        method: &'static str,
        call: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let Some(when) = self.when(method) else {
            return call.await;
        };
        let _ended = Ended(&self.ended);
        if when == When::Before {
            self.wait().await;
        }
        let result = call.await;
        *lock(&self.carried_out) = result.is_ok();
        if when == When::After {
            self.wait().await;
        }
        result
    }

    async fn wait(&self) {
        self.arrived.add_permits(1);
        pass(&self.open).await;
    }
}

/// Tells of the end of a held call, also when it is dropped.
struct Ended<'a>(&'a Semaphore);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.0.add_permits(1);
    }
}

async fn pass(semaphore: &Semaphore) {
    if let Ok(permit) = semaphore.acquire().await {
        permit.forget();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The memory store behind a [`Gate`].
pub struct GateStore {
    inner: MemoryStore,
    /// The gate.
    pub gate: Arc<Gate>,
}

impl GateStore {
    /// An empty store that holds nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            inner: MemoryStore::new(),
            gate: Arc::default(),
        }
    }
}

impl Default for GateStore {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for GateStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GateStore")
    }
}

macro_rules! passed_on {
    ($trait:ident { $(fn $name:ident($($arg:ident: $ty:ty),*) -> $ok:ty;)* } $($more:tt)*) => {
        #[async_trait]
        impl $trait for GateStore {
            $(async fn $name(&self, $($arg: $ty),*) -> Result<$ok, StoreError> {
                self.gate.call(stringify!($name), self.inner.$name($($arg),*)).await
            })*
            $($more)*
        }
    };
}

passed_on! { KeyStore {
    fn insert_key(key: &ApiKey) -> KeyRow;
    fn key(id: KeyId) -> Option<KeyRow>;
    fn key_by_lookup(lookup: LookupId) -> Option<KeyRow>;
    fn list_keys(query: &KeyQuery) -> Vec<KeyRow>;
    fn update_key(row: &KeyRow, now: DateTime<Utc>) -> KeyRow;
    fn delete_key(id: KeyId, now: DateTime<Utc>) -> ();
    fn record_logins(logins: &[Login]) -> ();
    fn key_changes(since: KeyGeneration) -> KeyChanges;
}
    fn key_generation(&self) -> Option<KeyGeneration> {
        self.inner.key_generation()
    }
}

passed_on! { RecordStore {
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
    fn server_time() -> Option<DateTime<Utc>>;
} }

passed_on! { QueueStore {
    fn enqueue(batch: Enqueue, now: DateTime<Utc>) -> Enqueued;
    fn due_lanes(after: Option<Lane>, limit: u32, now: DateTime<Utc>) -> Vec<DueLane>;
    fn next_due(now: DateTime<Utc>) -> Option<DateTime<Utc>>;
    fn claim(lanes: &[LaneClaim], lease_until: DateTime<Utc>, now: DateTime<Utc>) -> Vec<Claimed>;
    fn reclaim(limit: u32, now: DateTime<Utc>) -> Reclaimed;
    fn settle(settlements: Vec<Settlement>, now: DateTime<Utc>) -> Vec<Settled>;
}
    async fn work_arrived(&self) {
        self.inner.work_arrived().await;
    }
}

passed_on! { DeliveryLog {
    fn delivery(id: DeliveryId) -> Option<Delivery>;
    fn list_deliveries(query: &DeliveryQuery) -> Vec<Delivery>;
    fn attempts(id: DeliveryId) -> Vec<AttemptRecord>;
    fn delete_delivery(id: DeliveryId, now: DateTime<Utc>) -> ();
    fn replay(which: &Replay, limit: u32, now: DateTime<Utc>) -> u64;
    fn cancel(ids: &[DeliveryId], reason: &str, now: DateTime<Utc>) -> u64;
    fn expire_held(created_before: DateTime<Utc>, limit: u32, now: DateTime<Utc>) -> u64;
    fn purge(keep: &PurgeBounds, limit: u32, now: DateTime<Utc>) -> u64;
    fn queue_stats(now: DateTime<Utc>) -> QueueStats;
} }

passed_on! { OutboxStore {
    fn push_outbox(occurrence: &Occurrence, now: DateTime<Utc>) -> OutboxId;
    fn outbox(limit: u32) -> Vec<OutboxRow>;
    fn reject_outbox(id: OutboxId, reason: &str, now: DateTime<Utc>) -> ();
} }
