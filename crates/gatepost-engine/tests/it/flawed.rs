//! A store in memory whose calls are counted by name, and some of whose rows cannot be read: a
//! newer version wrote them, or their key is lost.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_engine::{AtMost, Place, Scope};
use gatepost_storage::owners::{Gone, OwnerRow};
use gatepost_storage::webhooks::{
    Arrived, AttemptRecord, Cascade, ChangedRoutes, Claimed, Delivery, DeliveryId, DeliveryLog,
    DeliveryQuery, Dropped, DueLane, DueLanes, DuePoint, Enqueue, Enqueued, EventQuery,
    HourlyCount, Lane, LaneClaim, LaneSweep, LogRoom, LogUsage, OutboxAudience, OutboxId,
    OutboxStore, OutboxTaken, PurgeBounds, Purged, QueueStats, QueueStore, Reclaimed, RecordId,
    RecordStore, RecordUsage, Replay, RouteChanges, Routes, RoutesVersion, Settled, Settlement,
    TaskMessage, TaskQuery, TaskRow, UnreadableRecord, UsageDelta, WebhookQuery,
};
use gatepost_storage::{MemoryStore, OwnerStore, Row, StoreError};
use webhook_model::{
    Event, EventId, EventName, EventType, Occurrence, OwnerId, Task, TaskId, Webhook, WebhookId,
};

type WebhookRow = Row<WebhookId, Webhook>;
type EventRow = Row<EventId, Event>;

pub(crate) struct Flawed {
    pub(crate) inner: Arc<MemoryStore>,
    unreadable: Mutex<HashSet<RecordId>>,
    calls: Mutex<HashMap<&'static str, u64>>,
}

impl Flawed {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            inner: Arc::new(MemoryStore::new()),
            unreadable: Mutex::default(),
            calls: Mutex::default(),
        })
    }

    pub(crate) fn spoil(&self, record: RecordId) {
        self.unreadable.lock().unwrap().insert(record);
    }

    /// How often this method was called since the last time.
    pub(crate) fn take(&self, method: &'static str) -> u64 {
        self.calls
            .lock()
            .unwrap()
            .remove(method)
            .unwrap_or_default()
    }

    fn count(&self, method: &'static str) {
        *self.calls.lock().unwrap().entry(method).or_default() += 1;
    }

    fn is_good(&self, record: RecordId) -> bool {
        !self.unreadable.lock().unwrap().contains(&record)
    }

    fn check<T>(&self, record: RecordId, row: T) -> Result<T, StoreError> {
        if self.is_good(record) {
            return Ok(row);
        }
        Err(StoreError::corrupt(
            "a record",
            "written by a newer version",
        ))
    }

    fn strip(&self, mut routes: Routes) -> Routes {
        routes
            .webhooks
            .retain(|w| self.is_good(RecordId::Webhook(w.id)));
        routes.tasks.retain(|t| self.is_good(RecordId::Task(t.id)));
        routes
            .events
            .retain(|e| self.is_good(RecordId::Event(e.id)));
        routes
    }
}

impl fmt::Debug for Flawed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Flawed")
    }
}

macro_rules! passed_on {
    ($trait:ident { $(fn $name:ident($($arg:ident: $ty:ty),*) -> $ok:ty;)* } $($more:tt)*) => {
        #[async_trait]
        impl $trait for Flawed {
            $(async fn $name(&self, $($arg: $ty),*) -> Result<$ok, StoreError> {
                self.count(stringify!($name));
                self.inner.$name($($arg),*).await
            })*
            $($more)*
        }
    };
}

passed_on! { OwnerStore {
    fn owner(owner: OwnerId) -> Option<OwnerRow>;
    fn place_owner(owner: OwnerId, place: Place, now: DateTime<Utc>) -> ();
    fn hold_owner(owner: OwnerId, held: bool, now: DateTime<Utc>) -> ();
    fn held_owners(after: Option<OwnerId>, limit: u32) -> Vec<OwnerRow>;
    fn unplaced_owners(after: Option<OwnerId>, limit: u32) -> Vec<OwnerId>;
    fn mark_gone(gone: Gone, now: DateTime<Utc>) -> ();
    fn remove_gone(limit: u32, now: DateTime<Utc>) -> u64;
    fn lease(name: &str, holder: u128, until: DateTime<Utc>, now: DateTime<Utc>) -> bool;
} }

passed_on! { RecordStore {
    fn insert_webhook(webhook: &Webhook, at_most: AtMost, now: DateTime<Utc>) -> WebhookRow;
    fn list_webhooks(query: &WebhookQuery) -> Vec<WebhookRow>;
    fn update_webhook(row: &WebhookRow, at_most: AtMost, now: DateTime<Utc>) -> WebhookRow;
    fn delete_webhook(id: WebhookId, cascade: Cascade, now: DateTime<Utc>) -> ();
    fn insert_task(task: &Task, at_most: AtMost, now: DateTime<Utc>) -> TaskRow;
    fn list_tasks(query: &TaskQuery) -> Vec<TaskRow>;
    fn update_task(row: &TaskRow, at_most: AtMost, now: DateTime<Utc>) -> TaskRow;
    fn delete_task(id: TaskId, now: DateTime<Utc>) -> ();
    fn record_task_runs(runs: &[(TaskId, DateTime<Utc>)]) -> ();
    fn insert_event(event: &Event, at_most: AtMost, now: DateTime<Utc>) -> EventRow;
    fn event(id: EventId) -> Option<EventRow>;
    fn list_events(query: &EventQuery) -> Vec<EventRow>;
    fn update_event(row: &EventRow, at_most: AtMost, now: DateTime<Utc>) -> EventRow;
    fn delete_event(id: EventId, now: DateTime<Utc>) -> ();
    fn owner_of(record: RecordId) -> Option<OwnerId>;
    fn record_usage(owner: OwnerId) -> RecordUsage;
    fn routes_versions(places: &[Place]) -> Vec<RoutesVersion>;
    fn server_time() -> Option<DateTime<Utc>>;
}
    async fn webhook(&self, id: WebhookId) -> Result<Option<WebhookRow>, StoreError> {
        self.count("webhook");
        self.check(RecordId::Webhook(id), self.inner.webhook(id).await?)
    }

    async fn webhooks(&self, ids: &[WebhookId]) -> Result<Vec<WebhookRow>, StoreError> {
        self.count("webhooks");
        let mut rows = self.inner.webhooks(ids).await?;
        rows.retain(|row| self.is_good(RecordId::Webhook(row.id)));
        Ok(rows)
    }

    async fn task(&self, id: TaskId) -> Result<Option<TaskRow>, StoreError> {
        self.count("task");
        self.check(RecordId::Task(id), self.inner.task(id).await?)
    }

    async fn unreadable(
        &self,
        _scope: Scope,
        _limit: u32,
    ) -> Result<Vec<UnreadableRecord>, StoreError> {
        let records: Vec<_> = self.unreadable.lock().unwrap().iter().copied().collect();
        let mut rows = Vec::new();
        for record in records {
            rows.extend(self.inner.owner_of(record).await?.map(|owner| UnreadableRecord {
                record,
                owner,
                reason: "written by a newer version".to_owned(),
            }));
        }
        Ok(rows)
    }

    async fn routes(&self, place: Place, at_most: u32) -> Result<Option<Routes>, StoreError> {
        self.count("routes");
        let routes = self.inner.routes(place, at_most).await?;
        Ok(routes.map(|routes| self.strip(routes)))
    }

    async fn routes_of(
        &self,
        place: Place,
        event_type: &EventType,
        event: &EventName,
    ) -> Result<Routes, StoreError> {
        self.count("routes_of");
        let routes = self.inner.routes_of(place, event_type, event).await?;
        Ok(self.strip(routes))
    }

    async fn route_changes(
        &self,
        place: Place,
        since: RoutesVersion,
    ) -> Result<RouteChanges, StoreError> {
        self.count("route_changes");
        let mut changes = self.inner.route_changes(place, since).await?;
        if let ChangedRoutes::These(delta) = &mut changes.changed {
            for (id, task) in &mut delta.tasks {
                *task = task.take().filter(|_| self.is_good(RecordId::Task(*id)));
            }
        }
        Ok(changes)
    }

    async fn messages(&self, tasks: &[TaskId]) -> Result<Vec<TaskMessage>, StoreError> {
        self.count("messages");
        let mut messages = self.inner.messages(tasks).await?;
        messages.retain(|message| self.is_good(RecordId::Task(message.id)));
        Ok(messages)
    }
}

passed_on! { QueueStore {
    fn enqueue(batch: Enqueue, now: DateTime<Utc>) -> Enqueued;
    fn due_lanes(after: DuePoint, until: DateTime<Utc>, limit: u32) -> DueLanes;
    fn lanes_of(webhooks: &[WebhookId], now: DateTime<Utc>) -> Vec<DueLane>;
    fn sweep_lanes(after: Option<Lane>, limit: u32, now: DateTime<Utc>) -> LaneSweep;
    fn next_due(now: DateTime<Utc>) -> Option<DateTime<Utc>>;
    fn claim(lanes: &[LaneClaim], lease_until: DateTime<Utc>, now: DateTime<Utc>) -> Vec<Claimed>;
    fn reclaim(limit: u32, now: DateTime<Utc>) -> Reclaimed;
    fn settle(settlements: Vec<Settlement>, now: DateTime<Utc>) -> Vec<Settled>;
}
    async fn enqueue_all(
        &self,
        batches: Vec<Enqueue>,
        now: DateTime<Utc>,
    ) -> Vec<Result<Enqueued, StoreError>> {
        self.count("enqueue_all");
        self.inner.enqueue_all(batches, now).await
    }

    async fn work_arrived(&self) -> Arrived {
        self.inner.work_arrived().await
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
    fn purge(keep: &PurgeBounds, limit: u32, now: DateTime<Utc>) -> Purged;
    fn prepare_log(now: DateTime<Utc>) -> LogRoom;
    fn add_counts(counts: &[HourlyCount]) -> ();
    fn hourly_counts(
        scope: Scope,
        webhook: Option<WebhookId>,
        from: DateTime<Utc>,
        before: DateTime<Utc>,
        limit: u32
    ) -> Vec<HourlyCount>;
    fn add_usage(deltas: &[UsageDelta]) -> ();
    fn log_usage(owners: &[OwnerId]) -> Vec<LogUsage>;
    fn recount_usage(owner: OwnerId) -> LogUsage;
    fn count_dropped(dropped: &[Dropped]) -> ();
    fn dropped(scope: Scope, limit: u32) -> Vec<Dropped>;
    fn count_queue(now: DateTime<Utc>) -> QueueStats;
    fn queue_stats() -> Option<QueueStats>;
} }

passed_on! { OutboxStore {
    fn push_outbox(occurrence: &Occurrence, now: DateTime<Utc>) -> OutboxId;
    fn take_outbox(
        holder: u128,
        limit: u32,
        until: DateTime<Utc>,
        now: DateTime<Utc>
    ) -> Option<OutboxTaken>;
    fn give_back_outbox(audience: OutboxAudience, holder: u128) -> ();
    fn postpone_outbox(id: OutboxId, turn: u32, due: DateTime<Utc>) -> ();
    fn reject_outbox(id: OutboxId, reason: &str, now: DateTime<Utc>) -> ();
}
    async fn outbox_arrived(&self) {
        self.inner.outbox_arrived().await;
    }
}
