//! The delivery log.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use deadpool_postgres::Transaction;
use gatepost_storage::StoreError;
use gatepost_storage::webhooks::{
    AttemptRecord, Delivery, DeliveryId, DeliveryLog, DeliveryQuery, EXPIRED_INFO, Phases,
    PurgeBounds, QueueStats, Replay,
};
use tokio_postgres::Row;

use crate::column::{count, span, status, without_nul};
use crate::db::Param;
use crate::error::{Answer, Failure, Result};
use crate::list::List;
use crate::queue::row;
use crate::store::PostgresStore;

#[async_trait]
impl DeliveryLog for PostgresStore {
    async fn delivery(&self, id: DeliveryId) -> Answer<Option<Delivery>> {
        let found = self
            .db()
            .query_opt(&format!("SELECT {} WHERE id = $1", row::COLUMNS), &[&id.0])
            .await?;
        Ok(found.as_ref().map(row::delivery).transpose()?)
    }

    async fn list_deliveries(&self, query: &DeliveryQuery) -> Answer<Vec<Delivery>> {
        let states: Vec<String> = query.states.iter().map(|s| s.as_str().to_owned()).collect();
        let list = List::of(row::COLUMNS)
            .filter("webhook =", query.webhook.map(|w| w.0))
            .filter("task =", query.task.map(|t| t.0))
            .filter("state = ANY", (!states.is_empty()).then_some(states))
            .filter("created >=", query.created_from)
            .filter("created <", query.created_before);
        let rows = list.page(self.db(), &query.page, |id| id.0).await?;
        Ok(rows.iter().map(row::delivery).collect::<Result<_>>()?)
    }

    async fn attempts(&self, id: DeliveryId) -> Answer<Vec<AttemptRecord>> {
        let rows = self
            .db()
            .query(
                "SELECT * FROM gatepost_attempt WHERE delivery = $1 ORDER BY number",
                &[&id.0],
            )
            .await?;
        Ok(rows.iter().map(attempt).collect::<Result<_>>()?)
    }

    async fn delete_delivery(&self, id: DeliveryId, _now: DateTime<Utc>) -> Answer<()> {
        let removed = self
            .remove_picked(
                "SELECT id FROM gatepost_delivery WHERE id = $1 FOR UPDATE",
                &[&id.0],
            )
            .await?;
        if removed == 0 {
            Err(StoreError::not_found("delivery"))
        } else {
            Ok(())
        }
    }

    async fn replay(&self, which: &Replay, limit: u32, now: DateTime<Utc>) -> Answer<u64> {
        let limit = i64::from(limit);
        let replayed = match which {
            Replay::Ids(ids) => {
                let ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
                self.replayed(
                    include_str!("sql/log/replay_ids.sql"),
                    &[&ids, &limit, &now],
                )
                .await?
            }
            Replay::Failed {
                webhook,
                from,
                before,
            } => {
                self.replayed(
                    include_str!("sql/log/replay_failed.sql"),
                    &[&webhook.0, from, before, &limit, &now],
                )
                .await?
            }
        };
        if replayed > 0 {
            self.notifier().work_arrived();
        }
        Ok(replayed)
    }

    async fn cancel(&self, ids: &[DeliveryId], reason: &str, _now: DateTime<Utc>) -> Answer<u64> {
        let ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
        let reason = without_nul(reason.to_owned());
        Ok(self
            .db()
            .execute(include_str!("sql/log/cancel.sql"), &[&ids, &reason])
            .await?)
    }

    async fn expire_held(
        &self,
        created_before: DateTime<Utc>,
        limit: u32,
        _now: DateTime<Utc>,
    ) -> Answer<u64> {
        let params: [Param<'_>; 3] = [&created_before, &i64::from(limit), &EXPIRED_INFO];
        Ok(self
            .db()
            .execute(include_str!("sql/log/expire_held.sql"), &params)
            .await?)
    }

    async fn purge(&self, bounds: &PurgeBounds, limit: u32, _now: DateTime<Utc>) -> Answer<u64> {
        let limit = u64::from(limit);
        let room = |removed: u64| i64::try_from(limit.saturating_sub(removed)).unwrap_or(i64::MAX);
        let by_age: [Param<'_>; 2] = [&bounds.created_before, &room(0)];
        let mut removed = self
            .remove_picked(include_str!("sql/log/old_by_age.sql"), &by_age)
            .await?;
        if removed < limit {
            let by_count: [Param<'_>; 2] = [&i64::from(bounds.newest_per_webhook), &room(removed)];
            removed += self
                .remove_picked(include_str!("sql/log/old_by_count.sql"), &by_count)
                .await?;
        }
        if removed < limit {
            removed += self
                .db()
                .execute(
                    include_str!("sql/log/forget_seen.sql"),
                    &[&bounds.occurrences_before, &room(removed)],
                )
                .await?;
        }
        Ok(removed)
    }

    async fn queue_stats(&self, _now: DateTime<Utc>) -> Answer<QueueStats> {
        let found = self
            .db()
            .query_opt(include_str!("sql/log/stats.sql"), &[])
            .await?;
        Ok(stats(&found.ok_or_else(|| {
            Failure::unavailable("no row came back")
        })?)?)
    }
}

impl PostgresStore {
    /// Under the shared routes lock, so that the order of the webhook, which a replay copies,
    /// cannot change.
    async fn replayed(&self, sql: &str, params: &[Param<'_>]) -> Result<u64> {
        let mut client = self.db().client().await?;
        let tx = client.transaction().await?;
        tx.execute(
            "SELECT pg_advisory_xact_lock_shared($1)",
            &[&self.db().lock()],
        )
        .await?;
        let statement = tx.prepare_cached(sql).await?;
        let replayed = tx.execute(&statement, params).await?;
        tx.commit().await?;
        Ok(replayed)
    }

    /// Deletes the deliveries that `pick` selects and locks, with their attempts. Once they are
    /// locked no settlement adds an attempt; the attempts are deleted by a later statement, which
    /// sees all of them.
    async fn remove_picked(&self, pick: &str, params: &[Param<'_>]) -> Result<u64> {
        let mut client = self.db().client().await?;
        let tx = client.transaction().await?;
        let statement = tx.prepare_cached(pick).await?;
        let picked = tx.query(&statement, params).await?;
        let ids: Vec<i64> = picked
            .iter()
            .map(|row| row.try_get(0))
            .collect::<std::result::Result<_, _>>()?;
        if !ids.is_empty() {
            remove(&tx, &ids).await?;
        }
        tx.commit().await?;
        Ok(ids.len() as u64)
    }
}

async fn remove(tx: &Transaction<'_>, ids: &[i64]) -> Result<()> {
    tx.execute(
        "DELETE FROM gatepost_attempt WHERE delivery = ANY ($1)",
        &[&ids],
    )
    .await?;
    tx.execute("DELETE FROM gatepost_delivery WHERE id = ANY ($1)", &[&ids])
        .await?;
    Ok(())
}

fn attempt(row: &Row) -> Result<AttemptRecord> {
    let remote: Option<&str> = row.try_get("remote")?;
    Ok(AttemptRecord {
        number: count(row, "number")?,
        started: row.try_get("started")?,
        duration: span(row, "duration_us")?.unwrap_or_default(),
        phases: Phases {
            dns: span(row, "dns_us")?,
            connect: span(row, "connect_us")?,
            tls: span(row, "tls_us")?,
            first_byte: span(row, "first_byte_us")?,
        },
        class: row.try_get("class")?,
        info: row.try_get("info")?,
        status: status(row, "status")?,
        remote: remote
            .map(str::parse)
            .transpose()
            .map_err(|e| Failure::corrupt("remote", e))?,
        protocol: row.try_get("protocol")?,
        response_head: row.try_get("response_head")?,
        response_body: row.try_get("response_body")?,
        truncated: row.try_get("truncated")?,
    })
}

fn stats(row: &Row) -> Result<QueueStats> {
    let number = |column| -> Result<u64> {
        u64::try_from(row.try_get::<_, i64>(column)?).map_err(|e| Failure::corrupt("count", e))
    };
    Ok(QueueStats {
        queued: number("queued")?,
        running: number("running")?,
        oldest_due: row.try_get("oldest_due")?,
        outbox: number("outbox")?,
    })
}
