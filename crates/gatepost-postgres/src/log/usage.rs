//! What owners use of the queue and the log.

use gatepost_ids::OwnerId;
use gatepost_storage::webhooks::LogUsage;
use tokio_postgres::Row;
use uuid::Uuid;

use crate::db::Param;
use crate::error::{Failure, Result};
use crate::store::PostgresStore;

impl PostgresStore {
    pub(super) async fn used_by_log(&self, owners: &[OwnerId]) -> Result<Vec<LogUsage>> {
        let owners: Vec<Uuid> = owners.iter().copied().map(Uuid::from).collect();
        let sql = include_str!("../sql/log/usage.sql");
        let rows = self.db().query(sql, &[&owners]).await?;
        rows.iter().map(usage).collect()
    }

    pub(super) async fn count_log_usage(&self, owner: OwnerId, share: u64) -> Result<LogUsage> {
        let share = i64::try_from(share).unwrap_or(i64::MAX);
        let sql = include_str!("../sql/log/recount.sql");
        let params: [Param<'_>; 2] = [&Uuid::from(owner), &share];
        let row = self.db().query_opt(sql, &params).await?;
        usage(&row.ok_or_else(|| Failure::unavailable("no row came back"))?)
    }
}

fn usage(row: &Row) -> Result<LogUsage> {
    let number = |column| -> Result<u64> {
        // A sum below nothing is nothing.
        Ok(u64::try_from(row.try_get::<_, i64>(column)?).unwrap_or(0))
    };
    Ok(LogUsage {
        waiting: number("waiting")?,
        waiting_bytes: number("waiting_bytes")?,
        log_bytes: number("log_bytes")?,
    })
}
