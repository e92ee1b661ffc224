//! The delivery log.

mod change;
mod counters;
mod figures;
mod list;
mod parts;
mod purge;
mod row;
mod usage;
mod waiting;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::OwnerId;
use gatepost_storage::StoreError;
use gatepost_storage::webhooks::{
    AttemptRecord, ChangedDelivery, CounterQuery, Counters, Delivery, DeliveryId, DeliveryLog,
    DeliveryQuery, IfWaiting, LogRoom, LogUsage, PurgeBounds, Purged, QueueStats, Replay,
    WaitingChange,
};
use webhook_model::TaskId;

use crate::error::{Answer, Result};
use crate::store::PostgresStore;

const ROWS: &str = include_str!("../sql/log/rows.sql");
const ATTEMPTS: &str = include_str!("../sql/log/attempts.sql");

#[async_trait]
impl DeliveryLog for PostgresStore {
    async fn delivery(&self, id: DeliveryId) -> Answer<Option<Delivery>> {
        let found = self.db().query_opt(ROWS, &[&vec![id.0], &true]).await?;
        Ok(found.as_ref().map(row::delivery).transpose()?)
    }

    async fn list_deliveries(&self, query: &DeliveryQuery) -> Answer<Vec<Delivery>> {
        Ok(self.some_deliveries(query).await?)
    }

    async fn last_runs(&self, tasks: &[TaskId]) -> Answer<Vec<(TaskId, DateTime<Utc>)>> {
        let ids: Vec<i64> = tasks.iter().map(|id| id.0).collect();
        let sql = include_str!("../sql/log/last_runs.sql");
        let rows = self.db().query(sql, &[&ids]).await?;
        let runs = rows.iter().map(|row| {
            let created = row.try_get("created")?;
            Ok((TaskId(row.try_get("id")?), created))
        });
        Ok(runs.collect::<Result<_>>()?)
    }

    async fn attempts(&self, id: DeliveryId, last: u32) -> Answer<Vec<AttemptRecord>> {
        let rows = self
            .db()
            .query(ATTEMPTS, &[&id.0, &i64::from(last)])
            .await?;
        let opened = rows.iter().rev().map(|row| {
            let (number, attempt) = row::attempt(row, id)?;
            attempt.open(number, self.sealing())
        });
        opened.collect()
    }

    async fn delete_delivery(&self, id: DeliveryId, _now: DateTime<Utc>) -> Answer<()> {
        match self.delete_one(id).await? {
            true => Ok(()),
            false => Err(StoreError::not_found("delivery")),
        }
    }

    async fn replay(&self, which: &Replay, limit: u32, now: DateTime<Utc>) -> Answer<u64> {
        Ok(self.replay_some(which, limit, now).await?)
    }

    async fn change_waiting(
        &self,
        deliveries: Vec<IfWaiting>,
        change: WaitingChange,
        now: DateTime<Utc>,
    ) -> Answer<Vec<ChangedDelivery>> {
        Ok(self.change_some(&deliveries, change, now).await?)
    }

    async fn expire_held(
        &self,
        created_before: DateTime<Utc>,
        limit: u32,
        now: DateTime<Utc>,
    ) -> Answer<u64> {
        Ok(self.expire(created_before, limit, now).await?)
    }

    async fn purge(&self, bounds: &PurgeBounds, limit: u32, now: DateTime<Utc>) -> Answer<Purged> {
        Ok(self.purge_log(bounds, limit, now).await?)
    }

    async fn prepare_log(&self, now: DateTime<Utc>) -> Answer<LogRoom> {
        Ok(self.make_room(now).await?)
    }

    async fn add_counters(&self, added: Counters) -> Answer<()> {
        Ok(self.add_to_counters(&added).await?)
    }

    async fn counters(&self, query: &CounterQuery) -> Answer<Counters> {
        Ok(self.some_counters(query).await?)
    }

    async fn log_usage(&self, owners: &[OwnerId]) -> Answer<Vec<LogUsage>> {
        Ok(self.used_by_log(owners).await?)
    }

    async fn recount_usage(&self, owner: OwnerId, share: u64) -> Answer<LogUsage> {
        Ok(self.count_log_usage(owner, share).await?)
    }

    async fn count_queue(&self, now: DateTime<Utc>) -> Answer<QueueStats> {
        Ok(self.count_what_waits(now).await?)
    }

    async fn queue_stats(&self) -> Answer<Option<QueueStats>> {
        Ok(self.last_stats().await?)
    }
}
