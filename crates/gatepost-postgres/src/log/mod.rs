//! The delivery log.

mod change;
mod counters;
mod list;
mod parts;
mod purge;
mod row;
mod waiting;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::OwnerId;
use gatepost_storage::StoreError;
use gatepost_storage::webhooks::{
    AttemptRecord, ChangedDelivery, CounterQuery, Counters, Delivery, DeliveryId, DeliveryLog,
    DeliveryQuery, IfWaiting, LogHeadroom, LogUsage, PurgeBounds, Purged, QueueStats,
    WaitingChange,
};
use tokio_postgres::Row;
use uuid::Uuid;
use webhook_model::TaskId;

use crate::change::most;
use crate::column::total;
use crate::db::Param;
use crate::error::{Answer, Result};
use crate::store::PostgresStore;

const ROWS: &str = sql!("log/rows");
const ATTEMPTS: &str = sql!("log/attempts");
const USAGE: &str = sql!("log/usage");
const RECOUNT: &str = sql!("log/recount");
const COUNT_QUEUE: &str = sql!("log/count_queue");
const STATS: &str = sql!("log/queue_stats");

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
        let sql = sql!("log/last_runs");
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

    async fn replay(&self, ids: &[DeliveryId], now: DateTime<Utc>) -> Answer<u64> {
        Ok(self.replay_some(ids, now).await?)
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

    async fn purge(&self, bounds: &PurgeBounds, limit: u32, _now: DateTime<Utc>) -> Answer<Purged> {
        Ok(self.purge_log(bounds, limit).await?)
    }

    async fn prepare_log(&self, now: DateTime<Utc>) -> Answer<LogHeadroom> {
        Ok(self.make_room(now).await?)
    }

    async fn add_counters(&self, added: Counters) -> Answer<()> {
        Ok(self.add_to_counters(&added).await?)
    }

    async fn counters(&self, query: &CounterQuery) -> Answer<Counters> {
        Ok(self.some_counters(query).await?)
    }

    async fn log_usage(&self, owners: &[OwnerId]) -> Answer<Vec<LogUsage>> {
        let owners: Vec<Uuid> = owners.iter().copied().map(Uuid::from).collect();
        let rows = self.db().query(USAGE, &[&owners]).await?;
        Ok(rows.iter().map(usage).collect::<Result<_>>()?)
    }

    async fn recount_usage(&self, owner: OwnerId, share: u64) -> Answer<LogUsage> {
        let params: [Param<'_>; 2] = [&Uuid::from(owner), &most(share)];
        Ok(usage(&self.db().row(RECOUNT, &params).await?)?)
    }

    async fn count_queue(&self, now: DateTime<Utc>) -> Answer<QueueStats> {
        Ok(stats(&self.db().row(COUNT_QUEUE, &[&now]).await?)?)
    }

    async fn queue_stats(&self) -> Answer<Option<QueueStats>> {
        let row = self.db().query_opt(STATS, &[]).await?;
        Ok(row.as_ref().map(stats).transpose()?)
    }
}

fn stats(row: &Row) -> Result<QueueStats> {
    Ok(QueueStats {
        counted: row.try_get("counted")?,
        queued: total(row, "queued")?,
        running: total(row, "running")?,
        oldest_due: row.try_get("oldest_due")?,
        outbox: total(row, "outbox")?,
    })
}

fn usage(row: &Row) -> Result<LogUsage> {
    let number = |column| -> Result<u64> {
        // A sum below zero counts as zero.
        Ok(u64::try_from(row.try_get::<_, i64>(column)?).unwrap_or(0))
    };
    Ok(LogUsage {
        waiting: number("waiting")?,
        waiting_bytes: number("waiting_bytes")?,
        log_bytes: number("log_bytes")?,
    })
}
