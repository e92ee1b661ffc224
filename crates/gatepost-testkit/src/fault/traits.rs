//! Every method of every trait except [`RecordStore`](gatepost_storage::webhooks::RecordStore),
//! passed on.

use apikey_core::{ApiKey, KeyId};
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use gatepost_ids::{OwnerId, Realm};
use gatepost_storage::audit::{AuditEntry, AuditQuery, AuditRemoval, AuditRow};
use gatepost_storage::keys::{
    KeyChanges, KeyGeneration, KeyQuery, KeyRow, KeySelector, KeyShard, KeyUse, Login,
};
use gatepost_storage::owners::{OwnerFilter, OwnerRow, OwnerUsage, Removal};
use gatepost_storage::webhooks::{
    Arrived, AttemptRecord, ChangedDelivery, Claimed, CounterQuery, Counters, Delivery, DeliveryId,
    DeliveryLog, DeliveryQuery, Enqueue, Enqueued, FoundQueues, HourlyCount, IfWaiting,
    LogHeadroom, LogUsage, OpenOutbox, OutboxAudience, OutboxId, OutboxStore, OutboxTaken,
    PurgeBounds, Purged, PutBack, QueueClaim, QueueStats, QueueStore, Queues, Reclaimed, RecordId,
    RejectedCount, Settled, Settlement, UsageDelta, WaitingChange,
};
use gatepost_storage::{AuditStore, ErrorKind, KeyStore, OwnerStore, StoreError};
use webhook_model::{Occurrence, TaskId};

use super::store::{FaultStore, Passing};

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
    fn usage(owner: OwnerId) -> OwnerUsage;
    fn set_owner(owner: OwnerId, realm: Option<Realm>, suspended: Option<bool>, now: DateTime<Utc>) -> ();
    fn list_owners(which: OwnerFilter, after: Option<OwnerId>, limit: u32) -> Vec<OwnerRow>;
    fn mark_gone(gone: Removal, now: DateTime<Utc>) -> ();
    fn remove_gone(limit: u32, now: DateTime<Utc>) -> u64;
    fn restored(now: DateTime<Utc>) -> ();
    fn lease(name: &str, holder: u128, until: DateTime<Utc>, now: DateTime<Utc>) -> bool;
} }

passed_on! { AuditStore {
    fn append_audit(entries: &[AuditEntry], most: u64) -> ();
    fn list_audit(query: &AuditQuery) -> Vec<AuditRow>;
    fn remove_audit(which: AuditRemoval, limit: u32) -> u64;
} }

passed_on! { KeyStore {
    fn insert_key(key: &ApiKey, at_most: u64) -> KeyRow;
    fn list_keys(query: &KeyQuery) -> Vec<KeyRow>;
    fn expiring_keys(after: (DateTime<Utc>, KeyId), before: DateTime<Utc>, limit: u32) -> Vec<KeyRow>;
    fn update_key(row: &KeyRow, now: DateTime<Utc>) -> KeyRow;
    fn roll_key(old: &KeyRow, new: &ApiKey, at_most: u64, now: DateTime<Utc>) -> (KeyRow, KeyRow);
    fn delete_key(id: KeyId, now: DateTime<Utc>) -> ();
    fn record_activity(logins: &[Login], uses: &[KeyUse]) -> ();
    fn key_uses(key: KeyId, from: NaiveDate, before: NaiveDate, limit: u32) -> Vec<KeyUse>;
    fn key_changes(shard: KeyShard, since: KeyGeneration) -> KeyChanges;
}
    async fn find_key(&self, selector: KeySelector) -> Result<Option<KeyRow>, StoreError> {
        let mut row = self.call("find_key", self.inner.find_key(selector)).await?;
        row.iter_mut().for_each(|row| self.altered(Passing::Key(row)));
        Ok(row)
    }

    /// Not counted as a call: every request makes it, and it costs no round trip.
    fn key_generation(&self, shard: KeyShard) -> Option<KeyGeneration> {
        if self.with(|state| state.down) {
            return None;
        }
        let mut generation = self.inner.key_generation(shard)?;
        self.altered(Passing::KeyGeneration(&mut generation));
        Some(generation)
    }
}

passed_on! { QueueStore {}
    /// Named by the kind of queues.
    async fn queues(
        &self,
        which: Queues,
        limit: u32,
        now: DateTime<Utc>,
    ) -> Result<FoundQueues, StoreError> {
        let name = match which {
            Queues::Due(_) => "queues, due",
            Queues::Of(_) => "queues, of",
            Queues::Beyond(_) => "queues, beyond",
        };
        self.call(name, self.inner.queues(which, limit, now)).await
    }

    async fn claim(
        &self,
        queues: &[QueueClaim],
        mut lease_until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<Vec<Claimed>, StoreError> {
        self.altered(Passing::Lease(&mut lease_until));
        let mut claimed = self.call("claim", self.inner.claim(queues, lease_until, now)).await?;
        self.altered(Passing::Claimed(&mut claimed));
        Ok(claimed)
    }

    async fn reclaim(&self, mut limit: u32, now: DateTime<Utc>) -> Result<Reclaimed, StoreError> {
        self.altered(Passing::Reclaim(&mut limit));
        let reclaim = async {
            let reclaimed = self.inner.reclaim(limit, now).await?;
            self.with(|state| state.lost_claims += reclaimed.requeued + reclaimed.ended);
            Ok(reclaimed)
        };
        self.call("reclaim", reclaim).await
    }

    async fn settle(
        &self,
        mut settlements: Vec<Settlement>,
        now: DateTime<Utc>,
    ) -> Result<Vec<Settled>, StoreError> {
        self.altered(Passing::Settle(&mut settlements));
        let poison = self.with(|state| state.poison);
        if settlements.iter().any(|s| Some(s.claim.delivery) == poison) {
            let rule = "this one cannot be stored";
            return Err(StoreError::new(ErrorKind::Corrupt, rule));
        }
        self.call("settle", self.inner.settle(settlements, now)).await
    }

    /// One call for all batches; a fault applies to each of them. The call for a single one is
    /// named `enqueue`.
    async fn enqueue_all(
        &self,
        mut batches: Vec<Enqueue>,
        now: DateTime<Utc>,
    ) -> Vec<Result<Enqueued, StoreError>> {
        batches.iter_mut().for_each(|batch| self.altered(Passing::Enqueue(batch)));
        let asked = batches.len();
        let name = if asked == 1 { "enqueue" } else { "enqueue_all" };
        let call = async { Ok(self.inner.enqueue_all(batches, now).await) };
        match self.call(name, call).await {
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
    fn last_runs(tasks: &[TaskId]) -> Vec<(TaskId, DateTime<Utc>)>;
    fn delivery(id: DeliveryId) -> Option<Delivery>;
    fn attempts(id: DeliveryId, last: u32) -> Vec<AttemptRecord>;
    fn delete_delivery(id: DeliveryId, now: DateTime<Utc>) -> ();
    fn replay(ids: &[DeliveryId], now: DateTime<Utc>) -> u64;
    fn expire_held(created_before: DateTime<Utc>, limit: u32, now: DateTime<Utc>) -> u64;
    fn purge(keep: &PurgeBounds, limit: u32, now: DateTime<Utc>) -> Purged;
    fn prepare_log(now: DateTime<Utc>) -> LogHeadroom;
    fn add_counters(added: Counters) -> ();
    fn add_counts(counts: &[HourlyCount]) -> ();
    fn add_usage(deltas: &[UsageDelta]) -> ();
    fn count_rejected(rejected: &[RejectedCount]) -> ();
    fn log_usage(owners: &[OwnerId]) -> Vec<LogUsage>;
    fn recount_usage(owner: OwnerId, share: u64) -> LogUsage;
    fn count_queue(now: DateTime<Utc>) -> QueueStats;
    fn queue_stats() -> Option<QueueStats>;
}
    async fn counters(&self, query: &CounterQuery) -> Result<Counters, StoreError> {
        let mut counters = self.call("counters", self.inner.counters(query)).await?;
        self.altered(Passing::Counters(query, &mut counters));
        Ok(counters)
    }

    /// Named by the kind of change.
    async fn change_waiting(
        &self,
        deliveries: Vec<IfWaiting>,
        change: WaitingChange,
        now: DateTime<Utc>,
    ) -> Result<Vec<ChangedDelivery>, StoreError> {
        let name = match change {
            WaitingChange::Fetched { .. } => "acknowledge",
            WaitingChange::Cancelled { .. } => "cancel",
            WaitingChange::Due => "hasten",
        };
        self.call(name, self.inner.change_waiting(deliveries, change, now)).await
    }

    async fn list_deliveries(&self, query: &DeliveryQuery) -> Result<Vec<Delivery>, StoreError> {
        let by = query.webhook.map(RecordId::Webhook).into_iter();
        let by = by.chain(query.task.map(RecordId::Task));
        self.with(|state| state.looked_up.extend(by));
        let list = self.inner.list_deliveries(query);
        let mut listed = self.call("list_deliveries", list).await?;
        self.altered(Passing::Listed(&mut listed));
        Ok(listed)
    }
}

passed_on! { OutboxStore {
    fn push_outbox(occurrence: &Occurrence, now: DateTime<Utc>) -> OutboxId;
    fn take_outbox(
        holder: u128,
        limit: u32,
        until: DateTime<Utc>,
        now: DateTime<Utc>
    ) -> Option<OutboxTaken>;
    fn give_back_outbox(audience: OutboxAudience, holder: u128) -> ();
    fn put_back(id: OutboxId, turn: u32, how: PutBack) -> ();
}
    async fn open_outbox(
        &self,
        audience: OutboxAudience,
        before: OutboxId,
        limit: u32,
    ) -> Result<Vec<OpenOutbox>, StoreError> {
        let open = self.inner.open_outbox(audience, before, limit);
        let mut open = self.call("open_outbox", open).await?;
        self.altered(Passing::Open(&mut open));
        Ok(open)
    }

    async fn outbox_arrived(&self) {
        self.inner.outbox_arrived().await;
    }

    fn outbox_written(&self) {
        if self.fault("outbox_written").is_none() {
            self.inner.outbox_written();
        }
    }
}
