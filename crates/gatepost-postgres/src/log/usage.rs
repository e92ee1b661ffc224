//! What owners use of the queue and the log, and what was counted instead of stored.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use gatepost_ids::OwnerId;
use gatepost_storage::webhooks::{DropReason, Dropped, LogUsage, UsageDelta};
use gatepost_storage::{Scope, StoreError};
use tokio_postgres::Row;
use uuid::Uuid;
use webhook_model::WebhookId;

use crate::column::scope_ids;
use crate::db::Param;
use crate::error::{Failure, Result};
use crate::store::PostgresStore;

impl PostgresStore {
    /// In rounds in which each owner is named once: a sum that falls below nothing is nothing,
    /// before the next delta is added.
    pub(super) async fn add_log_usage(&self, deltas: &[UsageDelta]) -> Result<()> {
        let mut rounds: Vec<BTreeMap<OwnerId, UsageDelta>> = Vec::new();
        for delta in deltas {
            let free = rounds.iter_mut().find(|r| !r.contains_key(&delta.owner));
            match free {
                Some(round) => drop(round.insert(delta.owner, *delta)),
                None => rounds.push(BTreeMap::from([(delta.owner, *delta)])),
            }
        }
        for round in rounds {
            let owners: Vec<Uuid> = round.keys().copied().map(Uuid::from).collect();
            let waiting: Vec<i64> = round.values().map(|d| d.waiting).collect();
            let waiting_bytes: Vec<i64> = round.values().map(|d| d.waiting_bytes).collect();
            let log_bytes: Vec<i64> = round.values().map(|d| d.log_bytes).collect();
            let params: [Param<'_>; 4] = [&owners, &waiting, &waiting_bytes, &log_bytes];
            let sql = include_str!("../sql/log/add_usage.sql");
            self.db().execute(sql, &params).await?;
        }
        Ok(())
    }

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

    pub(super) async fn add_dropped(&self, dropped: &[Dropped]) -> Result<()> {
        let webhooks: Vec<i64> = dropped.iter().map(|d| d.webhook.0).collect();
        let reasons: Vec<&str> = dropped.iter().map(|d| d.reason.as_str()).collect();
        let minutes: Vec<DateTime<Utc>> = dropped.iter().map(|d| d.minute).collect();
        let counts = dropped.iter().map(|d| i64::try_from(d.count));
        let counts: Vec<i64> = counts.map(|count| count.unwrap_or(i64::MAX)).collect();
        let params: [Param<'_>; 4] = [&webhooks, &reasons, &minutes, &counts];
        let sql = include_str!("../sql/log/count_dropped.sql");
        self.db().execute(sql, &params).await?;
        Ok(())
    }

    pub(super) async fn some_dropped(&self, scope: Scope, limit: u32) -> Result<Vec<Dropped>> {
        let (owner, tenant) = scope_ids(scope);
        let limit = i64::from(limit);
        let params: [Param<'_>; 3] = [&owner, &tenant, &limit];
        let begin = "BEGIN READ ONLY; SET LOCAL plan_cache_mode = force_custom_plan";
        let sql = include_str!("../sql/log/dropped.sql");
        let rows = self.db().read(begin, sql, &params).await?;
        rows.iter().map(dropped_row).collect()
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

fn dropped_row(row: &Row) -> Result<Dropped> {
    let reason = DropReason::from_word(row.try_get("reason")?);
    let count: i64 = row.try_get("count")?;
    Ok(Dropped {
        webhook: WebhookId(row.try_get("webhook")?),
        reason: reason
            .ok_or_else(|| Failure::from(StoreError::corrupt("reason", "unknown word")))?,
        minute: row.try_get("minute")?,
        count: u64::try_from(count).map_err(|e| Failure::corrupt("count", e))?,
    })
}
