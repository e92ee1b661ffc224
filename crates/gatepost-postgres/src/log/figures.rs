//! Figures: the queue as it was counted last, and what became of each webhook's deliveries in each
//! hour.

use chrono::{DateTime, Utc};
use gatepost_storage::Scope;
use gatepost_storage::webhooks::{HourlyCount, QueueStats};
use tokio_postgres::Row;
use webhook_model::WebhookId;

use crate::column::scope_ids;
use crate::db::Param;
use crate::error::{Failure, Result};
use crate::store::PostgresStore;

const COUNT: &str = include_str!("../sql/log/count_queue.sql");
const STATS: &str = include_str!("../sql/log/queue_stats.sql");
const ADD: &str = include_str!("../sql/log/add_counts.sql");
const SUMS: &str = include_str!("../sql/log/summed_counts.sql");
const HOURS: &str = include_str!("../sql/log/hourly_counts.sql");

impl PostgresStore {
    pub(super) async fn count_what_waits(&self, now: DateTime<Utc>) -> Result<QueueStats> {
        let row = self.db().query_opt(COUNT, &[&now]).await?;
        stats(&row.ok_or_else(|| Failure::unavailable("no row came back"))?)
    }

    pub(super) async fn last_stats(&self) -> Result<Option<QueueStats>> {
        let row = self.db().query_opt(STATS, &[]).await?;
        row.as_ref().map(stats).transpose()
    }

    pub(super) async fn add_hourly(&self, counts: &[HourlyCount]) -> Result<()> {
        let webhooks: Vec<i64> = counts.iter().map(|c| c.webhook.0).collect();
        let hours: Vec<DateTime<Utc>> = counts.iter().map(|c| c.hour).collect();
        let column = |of: fn(&HourlyCount) -> u64| -> Vec<i64> {
            let numbers = counts.iter().map(|c| i64::try_from(of(c)));
            numbers.map(|number| number.unwrap_or(i64::MAX)).collect()
        };
        let params: [Param<'_>; 7] = [
            &webhooks,
            &hours,
            &column(|c| c.sent),
            &column(|c| c.failed),
            &column(|c| c.retried),
            &column(|c| c.milliseconds),
            &column(|c| c.bytes),
        ];
        self.db().execute(ADD, &params).await?;
        Ok(())
    }

    pub(super) async fn hours(
        &self,
        scope: Scope,
        webhook: Option<WebhookId>,
        hours: (DateTime<Utc>, DateTime<Utc>),
        limit: u32,
    ) -> Result<Vec<HourlyCount>> {
        let (owner, tenant) = scope_ids(scope);
        let webhook = webhook.map(|webhook| webhook.0);
        let params: [Param<'_>; 6] = [
            &owner,
            &tenant,
            &webhook,
            &hours.0,
            &hours.1,
            &i64::from(limit),
        ];
        let begin = "BEGIN READ ONLY; SET LOCAL plan_cache_mode = force_custom_plan";
        let rows = self.db().read(begin, HOURS, &params).await?;
        rows.iter().map(hour).collect()
    }
}

impl PostgresStore {
    pub(super) async fn sums(
        &self,
        webhooks: &[WebhookId],
        hours: (DateTime<Utc>, DateTime<Utc>),
    ) -> Result<Vec<HourlyCount>> {
        let webhooks: Vec<i64> = webhooks.iter().map(|webhook| webhook.0).collect();
        let params: [Param<'_>; 3] = [&webhooks, &hours.0, &hours.1];
        let rows = self.db().query(SUMS, &params).await?;
        rows.iter().map(hour).collect()
    }
}

fn number(row: &Row, column: &'static str) -> Result<u64> {
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

fn hour(row: &Row) -> Result<HourlyCount> {
    Ok(HourlyCount {
        webhook: WebhookId(row.try_get("webhook")?),
        hour: row.try_get("hour")?,
        sent: number(row, "sent")?,
        failed: number(row, "failed")?,
        retried: number(row, "retried")?,
        milliseconds: number(row, "milliseconds")?,
        bytes: number(row, "bytes")?,
    })
}
