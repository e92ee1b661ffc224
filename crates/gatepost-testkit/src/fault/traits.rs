//! Every method of every trait, passed on.

use apikey_core::{ApiKey, KeyId, LookupId};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, Place};
use gatepost_storage::keys::{KeyChanges, KeyGeneration, KeyQuery, KeyRow, KeySlice, Login};
use gatepost_storage::owners::{Gone, OwnerRow};
use gatepost_storage::webhooks::{
    Arrived, AttemptRecord, Cascade, Claimed, Delivery, DeliveryId, DeliveryLog, DeliveryQuery,
    Dropped, DueLane, DueLanes, DuePoint, Enqueue, Enqueued, EventQuery, HourlyCount, Lane,
    LaneClaim, LaneSweep, LogRoom, LogUsage, OutboxAudience, OutboxId, OutboxStore, OutboxTaken,
    PurgeBounds, Purged, QueueStats, QueueStore, Reclaimed, RecordId, RecordStore, RecordUsage,
    Replay, RouteChanges, Routes, RoutesVersion, Settled, Settlement, TaskMessage, TaskQuery,
    TaskRow, UnreadableRecord, UsageDelta, WebhookQuery,
};
use gatepost_storage::{AtMost, ErrorKind, KeyStore, OwnerStore, Row, Scope, StoreError};
use webhook_model::{
    Event, EventId, EventName, EventType, Occurrence, Task, TaskId, Webhook, WebhookId,
};

use super::store::FaultStore;

type WebhookRow = Row<WebhookId, Webhook>;
type EventRow = Row<EventId, Event>;

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
    /// No call of its own: it is made at every request and costs no round trip.
    fn key_generation(&self, slice: KeySlice) -> Option<KeyGeneration> {
        if self.with(|state| state.down) {
            return None;
        }
        self.inner.key_generation(slice)
    }
}

passed_on! { RecordStore {
    fn insert_webhook(webhook: &Webhook, at_most: AtMost, now: DateTime<Utc>) -> WebhookRow;
    fn list_webhooks(query: &WebhookQuery) -> Vec<WebhookRow>;
    fn update_webhook(row: &WebhookRow, at_most: AtMost, now: DateTime<Utc>) -> WebhookRow;
    fn delete_webhook(id: WebhookId, cascade: Cascade, now: DateTime<Utc>) -> ();
    fn insert_task(task: &Task, at_most: AtMost, now: DateTime<Utc>) -> TaskRow;
    fn task(id: TaskId) -> Option<TaskRow>;
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
    fn unreadable(scope: Scope, limit: u32) -> Vec<UnreadableRecord>;
    fn record_usage(owner: OwnerId) -> RecordUsage;
    fn routes(place: Place, at_most: u32) -> Option<Routes>;
    fn routes_of(place: Place, event_type: &EventType, event: &EventName) -> Routes;
    fn routes_versions(places: &[Place]) -> Vec<RoutesVersion>;
    fn route_changes(place: Place, since: RoutesVersion) -> RouteChanges;
    fn messages(tasks: &[TaskId]) -> Vec<TaskMessage>;
}
    async fn webhook(&self, id: WebhookId) -> Result<Option<WebhookRow>, StoreError> {
        let read = async {
            match self.is_unreadable(id) {
                true => Err(StoreError::new(ErrorKind::Corrupt, "the test says so")),
                false => self.inner.webhook(id).await,
            }
        };
        self.call("webhook", read).await
    }

    async fn webhooks(&self, ids: &[WebhookId]) -> Result<Vec<WebhookRow>, StoreError> {
        let read = async {
            let mut rows = self.inner.webhooks(ids).await?;
            rows.retain(|row| !self.is_unreadable(row.id));
            Ok(rows)
        };
        self.call("webhooks", read).await
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
    fn due_lanes(after: DuePoint, until: DateTime<Utc>, limit: u32) -> DueLanes;
    fn lanes_of(webhooks: &[WebhookId], now: DateTime<Utc>) -> Vec<DueLane>;
    fn sweep_lanes(after: Option<Lane>, limit: u32, now: DateTime<Utc>) -> LaneSweep;
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

    /// One call for all; it fails for each of them.
    async fn enqueue_all(
        &self,
        batches: Vec<Enqueue>,
        now: DateTime<Utc>,
    ) -> Vec<Result<Enqueued, StoreError>> {
        let asked = batches.len();
        let call = async { Ok(self.inner.enqueue_all(batches, now).await) };
        match self.call("enqueue_all", call).await {
            Ok(answers) => answers,
            Err(error) => {
                let same = || StoreError::new(error.kind(), error.context());
                (0..asked).map(|_| Err(same())).collect()
            }
        }
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
