//! Every method of every trait but [`RecordStore`](gatepost_storage::webhooks::RecordStore), passed
//! on.

use apikey_core::{ApiKey, KeyId, LookupId};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, Place};
use gatepost_storage::keys::{KeyChanges, KeyGeneration, KeyQuery, KeyRow, KeySlice, Login};
use gatepost_storage::owners::{Gone, OwnerRow};
use gatepost_storage::webhooks::{
    AttemptRecord, Claimed, Delivery, DeliveryId, DeliveryLog, DeliveryQuery, Dropped, DueLane,
    Enqueue, Enqueued, Lane, LaneClaim, LogUsage, OutboxId, OutboxRow, OutboxStore, PurgeBounds,
    QueueStats, QueueStore, Reclaimed, RecordId, Replay, Settled, Settlement, UsageDelta,
};
use gatepost_storage::{ErrorKind, KeyStore, OwnerStore, Scope, StoreError};
use webhook_model::Occurrence;

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

pub(super) use passed_on;

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
        let by = query.webhook.map(RecordId::Webhook).into_iter();
        let by = by.chain(query.task.map(RecordId::Task));
        self.with(|state| state.looked_up.extend(by));
        self.call("list_deliveries", self.inner.list_deliveries(query)).await
    }
}

passed_on! { OutboxStore {
    fn push_outbox(occurrence: &Occurrence, now: DateTime<Utc>) -> OutboxId;
    fn outbox(limit: u32, now: DateTime<Utc>) -> Vec<OutboxRow>;
    fn postpone_outbox(id: OutboxId, turn: u32, due: DateTime<Utc>) -> ();
    fn reject_outbox(id: OutboxId, reason: &str, now: DateTime<Utc>) -> ();
} }
