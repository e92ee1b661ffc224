//! The queue as it was counted last.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::QueueStats;
use tokio_postgres::Row;

use crate::error::{Failure, Result};
use crate::store::PostgresStore;

const COUNT: &str = include_str!("../sql/log/count_queue.sql");
const STATS: &str = include_str!("../sql/log/queue_stats.sql");

impl PostgresStore {
    pub(super) async fn count_what_waits(&self, now: DateTime<Utc>) -> Result<QueueStats> {
        let row = self.db().query_opt(COUNT, &[&now]).await?;
        stats(&row.ok_or_else(|| Failure::unavailable("no row came back"))?)
    }

    pub(super) async fn last_stats(&self) -> Result<Option<QueueStats>> {
        let row = self.db().query_opt(STATS, &[]).await?;
        row.as_ref().map(stats).transpose()
    }
}

pub(super) fn number(row: &Row, column: &'static str) -> Result<u64> {
    u64::try_from(row.try_get::<_, i64>(column)?).map_err(|e| Failure::corrupt(column, e))
}

fn stats(row: &Row) -> Result<QueueStats> {
    Ok(QueueStats {
        counted: row.try_get("counted")?,
        queued: number(row, "queued")?,
        running: number(row, "running")?,
        oldest_due: row.try_get("oldest_due")?,
        outbox: number(row, "outbox")?,
    })
}
