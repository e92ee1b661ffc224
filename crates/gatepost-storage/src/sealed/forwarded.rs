//! Methods that handle neither messages nor responses are forwarded to the inner store; the methods
//! of the log open what they return.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, Realm};
use webhook_model::{EventName, EventType, TaskId};

use super::store::SealedMessages;
use crate::error::StoreError;
use crate::owners::{OwnerFilter, OwnerRow, OwnerStore, OwnerUsage, RecordUsage, Removal};
use crate::page::Scope;
use crate::webhooks::{
    AttemptRecord, Cascade, ChangedDelivery, CounterQuery, Counters, Delivery, DeliveryId,
    DeliveryLog, DeliveryQuery, Found, IfWaiting, InsertedRecords, LogHeadroom, LogUsage,
    NewRecords, OpenOutbox, OutboxAudience, OutboxId, OutboxStore, OutboxTaken, PurgeBounds,
    Purged, PutBack, QueueStats, RecordHead, RecordId, RecordQuery, RecordRow, RecordStore,
    RouteChanges, Routes, RoutesVersion, UnreadableRecord, WaitingChange,
};

macro_rules! passed_on {
    ($trait:ident { $(fn $name:ident($($arg:ident: $ty:ty),*) -> $ok:ty;)* } $($more:tt)*) => {
        #[async_trait]
        impl<S: $trait> $trait for SealedMessages<S> {
            $(async fn $name(&self, $($arg: $ty),*) -> Result<$ok, StoreError> {
                self.inner.$name($($arg),*).await
            })*
            $($more)*
        }
    };
}

passed_on! { OwnerStore {
    fn owner(owner: OwnerId) -> Option<OwnerRow>;
    fn usage(owner: OwnerId) -> OwnerUsage;
    fn set_owner(owner: OwnerId, realm: Option<Realm>, suspended: Option<bool>, now: DateTime<Utc>) -> ();
    fn list_owners(which: OwnerFilter, after: Option<OwnerId>, limit: u32) -> Vec<OwnerRow>;
    fn mark_gone(gone: Removal, now: DateTime<Utc>) -> ();
    fn remove_gone(limit: u32, now: DateTime<Utc>) -> u64;
    fn restored(now: DateTime<Utc>) -> ();
    fn lease(name: &str, holder: u128, until: DateTime<Utc>, now: DateTime<Utc>) -> bool;
} }

passed_on! { RecordStore {
    fn insert_records(new: NewRecords, at_most: &RecordUsage, now: DateTime<Utc>) -> InsertedRecords;
    fn get_records(ids: &[RecordId]) -> Vec<Found<RecordRow>>;
    fn record_heads(ids: &[RecordId]) -> Vec<Found<RecordHead>>;
    fn list_records(query: &RecordQuery) -> Vec<RecordRow>;
    fn update_record(row: RecordRow, at_most: u64, now: DateTime<Utc>) -> RecordRow;
    fn delete_record(id: RecordId, cascade: Cascade, now: DateTime<Utc>) -> ();
    fn unreadable(scope: Scope, limit: u32) -> Vec<UnreadableRecord>;
    fn read_routes(
        place: Realm,
        only: Option<(&EventType, &EventName)>,
        at_most: u32
    ) -> Option<Routes>;
    fn routes_versions(places: &[Realm]) -> Vec<RoutesVersion>;
    fn route_changes(place: Realm, since: RoutesVersion) -> Option<RouteChanges>;
    fn server_time() -> Option<DateTime<Utc>>;
} }

passed_on! { DeliveryLog {
    fn last_runs(tasks: &[TaskId]) -> Vec<(TaskId, DateTime<Utc>)>;
    fn delete_delivery(id: DeliveryId, now: DateTime<Utc>) -> ();
    fn replay(ids: &[DeliveryId], now: DateTime<Utc>) -> u64;
    fn change_waiting(
        deliveries: Vec<IfWaiting>,
        change: WaitingChange,
        now: DateTime<Utc>
    ) -> Vec<ChangedDelivery>;
    fn expire_held(created_before: DateTime<Utc>, limit: u32, now: DateTime<Utc>) -> u64;
    fn purge(bounds: &PurgeBounds, limit: u32, now: DateTime<Utc>) -> Purged;
    fn prepare_log(now: DateTime<Utc>) -> LogHeadroom;
    fn add_counters(added: Counters) -> ();
    fn counters(query: &CounterQuery) -> Counters;
    fn log_usage(owners: &[OwnerId]) -> Vec<LogUsage>;
    fn recount_usage(owner: OwnerId, share: u64) -> LogUsage;
    fn count_queue(now: DateTime<Utc>) -> QueueStats;
    fn queue_stats() -> Option<QueueStats>;
}
    async fn delivery(&self, id: DeliveryId) -> Result<Option<Delivery>, StoreError> {
        let found = self.inner.delivery(id).await?;
        Ok(found.map(|delivery| self.shown(delivery)))
    }

    async fn list_deliveries(&self, query: &DeliveryQuery) -> Result<Vec<Delivery>, StoreError> {
        let found = self.inner.list_deliveries(query).await?;
        Ok(found.into_iter().map(|delivery| self.shown(delivery)).collect())
    }

    async fn attempts(&self, id: DeliveryId, last: u32) -> Result<Vec<AttemptRecord>, StoreError> {
        Ok(self.shown_attempts(self.inner.attempts(id, last).await?, id))
    }
}

passed_on! { OutboxStore {
    fn open_outbox(audience: OutboxAudience, before: OutboxId, limit: u32) -> Vec<OpenOutbox>;
    fn give_back_outbox(audience: OutboxAudience, holder: u128) -> ();
    fn put_back(id: OutboxId, turn: u32, how: PutBack) -> ();
}
    async fn take_outbox(
        &self,
        holder: u128,
        limit: u32,
        until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<Option<OutboxTaken>, StoreError> {
        let taken = self.inner.take_outbox(holder, limit, until, now).await?;
        Ok(taken.map(|taken| OutboxTaken {
            rows: taken.rows.into_iter().map(|row| self.opened(row)).collect(),
            ..taken
        }))
    }

    async fn outbox_arrived(&self) {
        self.inner.outbox_arrived().await;
    }

    fn outbox_written(&self) {
        self.inner.outbox_written();
    }
}
