//! The delivery log.

mod attempt;
mod dropped;
mod expire;
pub(crate) mod list;
mod purge;
mod replay;
mod usage;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::OwnerId;
use gatepost_storage::Scope;
use gatepost_storage::webhooks::{
    AttemptRecord, Delivery, DeliveryId, DeliveryLog, DeliveryQuery, Dropped, LogUsage,
    PurgeBounds, QueueStats, Replay, UsageDelta,
};
use rusqlite::{OptionalExtension as _, Row, params};

use crate::column::{maybe_time, number};
use crate::error::{Answer, Failure, Result};
use crate::queue::row;
use crate::store::SqliteStore;

/// Of a delivery: its webhook is not gone.
const LIVE: &str =
    "EXISTS (SELECT 1 FROM gatepost_live_webhook l WHERE l.id = gatepost_delivery.webhook)";

#[async_trait]
impl DeliveryLog for SqliteStore {
    async fn delivery(&self, id: DeliveryId) -> Answer<Option<Delivery>> {
        self.read(move |c| {
            c.prepare_cached(&format!("SELECT {} WHERE id = ?1 AND {LIVE}", row::COLUMNS))?
                .query_row([id.0], |r| Ok(row::delivery(r)))
                .optional()?
                .transpose()
        })
        .await
    }

    async fn list_deliveries(&self, query: &DeliveryQuery) -> Answer<Vec<Delivery>> {
        let query = query.clone();
        self.read(move |c| {
            let list = list::deliveries(&query, list::some_are_gone(c)?);
            list.page(c, row::COLUMNS, &query.page, |id| id.0, row::delivery)
        })
        .await
    }

    async fn attempts(&self, id: DeliveryId) -> Answer<Vec<AttemptRecord>> {
        self.read(move |c| attempt::all(c, id)).await
    }

    async fn delete_delivery(&self, id: DeliveryId, _now: DateTime<Utc>) -> Answer<()> {
        self.write(move |c| {
            let sql = format!("DELETE FROM gatepost_delivery WHERE id = ?1 AND {LIVE}");
            let mut statement = c.prepare_cached(&sql)?;
            match statement.execute([id.0])? {
                0 => Err(Failure::not_found("delivery")),
                _ => Ok(()),
            }
        })
        .await
    }

    async fn replay(&self, which: &Replay, limit: u32, now: DateTime<Utc>) -> Answer<u64> {
        let which = which.clone();
        // Looking for the failed ones among all that a webhook has takes no time of the writer.
        let failed = matches!(which, Replay::Failed { .. });
        let ids = self.read(move |c| replay::ids(c, &which, limit)).await?;
        self.write(move |c| replay::again(c, &ids, failed, limit, now))
            .await
    }

    async fn cancel(&self, ids: &[DeliveryId], reason: &str, _now: DateTime<Utc>) -> Answer<u64> {
        let (ids, reason) = (ids.to_vec(), reason.to_owned());
        self.write(move |c| {
            let mut end = c.prepare_cached(include_str!("../sql/log/cancel.sql"))?;
            let mut count = 0;
            for id in ids {
                count += end.execute(params![id.0, reason])? as u64;
            }
            Ok(count)
        })
        .await
    }

    async fn expire_held(
        &self,
        created_before: DateTime<Utc>,
        limit: u32,
        _now: DateTime<Utc>,
    ) -> Answer<u64> {
        expire::expire(self, created_before, limit).await
    }

    async fn purge(&self, bounds: &PurgeBounds, limit: u32, _now: DateTime<Utc>) -> Answer<u64> {
        purge::purge(self, bounds, limit).await
    }

    async fn add_usage(&self, deltas: &[UsageDelta]) -> Answer<()> {
        let deltas = deltas.to_vec();
        self.write(move |c| usage::add(c, &deltas)).await
    }

    async fn log_usage(&self, owners: &[OwnerId]) -> Answer<Vec<LogUsage>> {
        let owners = owners.to_vec();
        self.read(move |c| owners.iter().map(|owner| usage::of(c, *owner)).collect())
            .await
    }

    async fn recount_usage(&self, owner: OwnerId) -> Answer<LogUsage> {
        let counted = self.read(move |c| usage::count(c, owner)).await?;
        self.write(move |c| usage::set(c, owner, counted)).await?;
        Ok(counted)
    }

    async fn count_dropped(&self, dropped: &[Dropped]) -> Answer<()> {
        let dropped = dropped.to_vec();
        self.write(move |c| dropped::count(c, &dropped)).await
    }

    async fn dropped(&self, scope: Scope, limit: u32) -> Answer<Vec<Dropped>> {
        self.read(move |c| dropped::list(c, scope, limit)).await
    }

    async fn queue_stats(&self, _now: DateTime<Utc>) -> Answer<QueueStats> {
        self.read(|c| {
            c.prepare_cached(include_str!("../sql/log/stats.sql"))?
                .query_row([], |row| Ok(stats(row)))?
        })
        .await
    }
}

fn stats(row: &Row<'_>) -> Result<QueueStats> {
    Ok(QueueStats {
        queued: number(row, "queued")?,
        running: number(row, "running")?,
        oldest_due: maybe_time(row, "oldest_due")?,
        outbox: number(row, "outbox")?,
    })
}
