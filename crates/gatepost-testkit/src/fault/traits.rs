//! Every method of every trait, passed on.

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
use gatepost_storage::{ErrorKind, KeyStore, Row, StoreError};
use webhook_model::{Event, EventId, Occurrence, Task, TaskId, Webhook, WebhookId};

use super::store::FaultStore;

macro_rules! passed_on {
    ($trait:ident { $(fn $name:ident($($arg:ident: $ty:ty),*) -> $ok:ty;)* } $($more:tt)*) => {
        #[async_trait]
        impl<S: $trait> $trait for FaultStore<S> {
            $(async fn $name(&self, $($arg: $ty),*) -> Result<$ok, StoreError> {
                self.call(stringify!($name), self.inner.$name($($arg),*)).await
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
    /// No call of its own: it is made at every request and costs no round trip.
    fn key_generation(&self) -> Option<KeyGeneration> {
        if self.with(|state| state.down) {
            return None;
        }
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
}
    async fn server_time(&self) -> Result<Option<DateTime<Utc>>, StoreError> {
        let told = self.with(|state| state.server_time);
        let asked = async {
            match told {
                None => self.inner.server_time().await,
                told => Ok(told),
            }
        };
        self.call("server_time", asked).await
    }
}

passed_on! { QueueStore {
    fn enqueue(batch: Enqueue, now: DateTime<Utc>) -> Enqueued;
    fn due_lanes(after: Option<Lane>, limit: u32, now: DateTime<Utc>) -> Vec<DueLane>;
    fn next_due(now: DateTime<Utc>) -> Option<DateTime<Utc>>;
    fn claim(lanes: &[LaneClaim], lease_until: DateTime<Utc>, now: DateTime<Utc>) -> Vec<Claimed>;
    fn reclaim(limit: u32, now: DateTime<Utc>) -> Reclaimed;
}
    async fn settle(
        &self,
        settlements: Vec<Settlement>,
        now: DateTime<Utc>,
    ) -> Result<Vec<Settled>, StoreError> {
        let poison = self.with(|state| state.poison);
        if settlements.iter().any(|s| Some(s.claim.delivery) == poison) {
            let rule = "this one cannot be stored";
            return Err(StoreError::new(ErrorKind::Corrupt, rule));
        }
        self.call("settle", self.inner.settle(settlements, now)).await
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
