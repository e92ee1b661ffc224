//! A store in memory some of whose records cannot be read, as after the loss of a sealing key.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use apikey_core::{ApiKey, KeyId, LookupId};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_keys::{OwnerId, Place};
use gatepost_storage::keys::{KeyChanges, KeyGeneration, KeyQuery, KeyRow, KeySlice, Login};
use gatepost_storage::owners::{Gone, OwnerRow};
use gatepost_storage::webhooks::{
    AttemptRecord, Cascade, Claimed, Delivery, DeliveryId, DeliveryLog, DeliveryQuery, Dropped,
    DueLane, Enqueue, Enqueued, EventQuery, Lane, LaneClaim, LogUsage, OutboxId, OutboxRow,
    OutboxStore, PurgeBounds, QueueStats, QueueStore, Reclaimed, RecordId, RecordStore,
    RecordUsage, Replay, RouteChanges, Routes, RoutesVersion, Settled, Settlement, TaskMessage,
    TaskQuery, TaskRow, UnreadableRecord, UsageDelta, WebhookQuery,
};
use gatepost_storage::{AtMost, KeyStore, MemoryStore, OwnerStore, Row, Scope, StoreError};
use webhook_model::{
    Event, EventId, EventName, EventType, Occurrence, Task, TaskId, Webhook, WebhookId,
};

type WebhookRow = Row<WebhookId, Webhook>;
type EventRow = Row<EventId, Event>;

#[derive(Debug, Default)]
pub(crate) struct SpoiltStore {
    inner: Arc<MemoryStore>,
    spoilt: Mutex<BTreeSet<RecordId>>,
    /// By what deliveries were looked up.
    looked_up: Mutex<BTreeSet<RecordId>>,
}

impl SpoiltStore {
    /// From now on this record cannot be read.
    pub(crate) fn spoil(&self, record: RecordId) {
        self.spoilt.lock().unwrap().insert(record);
    }

    /// By what deliveries were looked up since this was asked.
    pub(crate) fn looked_up(&self) -> BTreeSet<RecordId> {
        std::mem::take(&mut self.looked_up.lock().unwrap())
    }

    fn check(&self, record: RecordId) -> Result<(), StoreError> {
        if self.spoilt.lock().unwrap().contains(&record) {
            return Err(StoreError::corrupt("a record", "its key is lost"));
        }
        Ok(())
    }

    fn can_read(&self, record: RecordId) -> bool {
        self.check(record).is_ok()
    }

    async fn is_in(&self, owner: OwnerId, scope: Scope) -> Result<bool, StoreError> {
        Ok(match scope {
            Scope::All => true,
            Scope::Owner(asked) => owner == asked,
            Scope::Tenant(tenant) => {
                let row = self.inner.owner(owner).await?;
                row.is_some_and(|row| row.place == Place::Tenant(tenant))
            }
        })
    }
}

macro_rules! passed_on {
    ($trait:ident { $(fn $name:ident($($arg:ident: $ty:ty),*) -> $ok:ty;)* } $($more:tt)*) => {
        #[async_trait]
        impl $trait for SpoiltStore {
            $(async fn $name(&self, $($arg: $ty),*) -> Result<$ok, StoreError> {
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

passed_on! { KeyStore {
    fn insert_key(key: &ApiKey, at_most: u64) -> KeyRow;
    fn count_keys(owner: OwnerId) -> u64;
    fn key(id: KeyId) -> Option<KeyRow>;
    fn key_by_lookup(lookup: LookupId) -> Option<KeyRow>;
    fn list_keys(query: &KeyQuery) -> Vec<KeyRow>;
    fn update_key(row: &KeyRow, now: DateTime<Utc>) -> KeyRow;
    fn delete_key(id: KeyId, now: DateTime<Utc>) -> ();
    fn record_logins(logins: &[Login]) -> ();
    fn key_changes(slice: KeySlice, since: KeyGeneration) -> KeyChanges;
}
    fn key_generation(&self, slice: KeySlice) -> Option<KeyGeneration> {
        self.inner.key_generation(slice)
    }
}

passed_on! { RecordStore {
    fn insert_webhook(webhook: &Webhook, at_most: AtMost, now: DateTime<Utc>) -> WebhookRow;
    fn webhooks(ids: &[WebhookId]) -> Vec<WebhookRow>;
    fn update_webhook(row: &WebhookRow, at_most: AtMost, now: DateTime<Utc>) -> WebhookRow;
    fn delete_webhook(id: WebhookId, cascade: Cascade, now: DateTime<Utc>) -> ();
    fn insert_task(task: &Task, at_most: AtMost, now: DateTime<Utc>) -> TaskRow;
    fn update_task(row: &TaskRow, at_most: AtMost, now: DateTime<Utc>) -> TaskRow;
    fn delete_task(id: TaskId, now: DateTime<Utc>) -> ();
    fn record_task_runs(runs: &[(TaskId, DateTime<Utc>)]) -> ();
    fn insert_event(event: &Event, at_most: AtMost, now: DateTime<Utc>) -> EventRow;
    fn update_event(row: &EventRow, at_most: AtMost, now: DateTime<Utc>) -> EventRow;
    fn delete_event(id: EventId, now: DateTime<Utc>) -> ();
    fn owner_of(record: RecordId) -> Option<OwnerId>;
    fn record_usage(owner: OwnerId) -> RecordUsage;
    fn routes(place: Place, at_most: u32) -> Option<Routes>;
    fn routes_of(place: Place, event_type: &EventType, event: &EventName) -> Routes;
    fn routes_versions(places: &[Place]) -> Vec<RoutesVersion>;
    fn route_changes(place: Place, since: RoutesVersion) -> RouteChanges;
    fn messages(tasks: &[TaskId]) -> Vec<TaskMessage>;
    fn server_time() -> Option<DateTime<Utc>>;
}
    async fn webhook(&self, id: WebhookId) -> Result<Option<WebhookRow>, StoreError> {
        self.check(RecordId::Webhook(id))?;
        self.inner.webhook(id).await
    }

    async fn task(&self, id: TaskId) -> Result<Option<TaskRow>, StoreError> {
        self.check(RecordId::Task(id))?;
        self.inner.task(id).await
    }

    async fn event(&self, id: EventId) -> Result<Option<EventRow>, StoreError> {
        self.check(RecordId::Event(id))?;
        self.inner.event(id).await
    }

    async fn list_webhooks(&self, query: &WebhookQuery) -> Result<Vec<WebhookRow>, StoreError> {
        let mut rows = self.inner.list_webhooks(query).await?;
        rows.retain(|row| self.can_read(RecordId::Webhook(row.id)));
        Ok(rows)
    }

    async fn list_tasks(&self, query: &TaskQuery) -> Result<Vec<TaskRow>, StoreError> {
        let mut rows = self.inner.list_tasks(query).await?;
        rows.retain(|row| self.can_read(RecordId::Task(row.id)));
        Ok(rows)
    }

    async fn list_events(&self, query: &EventQuery) -> Result<Vec<EventRow>, StoreError> {
        let mut rows = self.inner.list_events(query).await?;
        rows.retain(|row| self.can_read(RecordId::Event(row.id)));
        Ok(rows)
    }

    async fn unreadable(
        &self,
        scope: Scope,
        limit: u32,
    ) -> Result<Vec<UnreadableRecord>, StoreError> {
        let spoilt = self.spoilt.lock().unwrap().clone();
        let mut records = Vec::new();
        for record in spoilt {
            let Some(owner) = self.inner.owner_of(record).await? else {
                continue;
            };
            if self.is_in(owner, scope).await? {
                let reason = "its key is lost".to_owned();
                records.push(UnreadableRecord {
                    record,
                    owner,
                    reason,
                });
            }
        }
        records.truncate(limit as usize);
        Ok(records)
    }
}

passed_on! { QueueStore {
    fn enqueue(batch: Enqueue, now: DateTime<Utc>) -> Enqueued;
    fn due_lanes(after: Option<Lane>, limit: u32, now: DateTime<Utc>) -> Vec<DueLane>;
    fn next_due(now: DateTime<Utc>) -> Option<DateTime<Utc>>;
    fn claim(lanes: &[LaneClaim], lease_until: DateTime<Utc>, now: DateTime<Utc>) -> Vec<Claimed>;
    fn settle(settlements: Vec<Settlement>, now: DateTime<Utc>) -> Vec<Settled>;
    fn reclaim(limit: u32, now: DateTime<Utc>) -> Reclaimed;
}
    async fn work_arrived(&self) {
        self.inner.work_arrived().await;
    }
}

passed_on! { DeliveryLog {
    fn delivery(id: DeliveryId) -> Option<Delivery>;
    fn attempts(id: DeliveryId) -> Vec<AttemptRecord>;
    fn delete_delivery(id: DeliveryId, now: DateTime<Utc>) -> ();
    fn replay(which: &Replay, limit: u32, now: DateTime<Utc>) -> u64;
    fn cancel(ids: &[DeliveryId], reason: &str, now: DateTime<Utc>) -> u64;
    fn expire_held(created_before: DateTime<Utc>, limit: u32, now: DateTime<Utc>) -> u64;
    fn purge(keep: &PurgeBounds, limit: u32, now: DateTime<Utc>) -> u64;
    fn add_usage(deltas: &[UsageDelta]) -> ();
    fn log_usage(owners: &[OwnerId]) -> Vec<LogUsage>;
    fn recount_usage(owner: OwnerId) -> LogUsage;
    fn count_dropped(dropped: &[Dropped]) -> ();
    fn dropped(scope: Scope, limit: u32) -> Vec<Dropped>;
    fn queue_stats(now: DateTime<Utc>) -> QueueStats;
}
    async fn list_deliveries(&self, query: &DeliveryQuery) -> Result<Vec<Delivery>, StoreError> {
        let webhook = query.webhook.map(RecordId::Webhook);
        let by = webhook.into_iter().chain(query.task.map(RecordId::Task));
        self.looked_up.lock().unwrap().extend(by);
        self.inner.list_deliveries(query).await
    }
}

passed_on! { OutboxStore {
    fn push_outbox(occurrence: &Occurrence, now: DateTime<Utc>) -> OutboxId;
    fn outbox(limit: u32, now: DateTime<Utc>) -> Vec<OutboxRow>;
    fn postpone_outbox(id: OutboxId, turn: u32, due: DateTime<Utc>) -> ();
    fn reject_outbox(id: OutboxId, reason: &str, now: DateTime<Utc>) -> ();
} }
