//! The delivery log.

mod usage;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::OwnerId;
use gatepost_storage::webhooks::{
    AttemptRecord, Delivery, DeliveryId, DeliveryLog, DeliveryQuery, Dropped, EXPIRED_INFO,
    LogUsage, Phases, PurgeBounds, QueueStats, Replay, UsageDelta,
};
use gatepost_storage::{Scope, StoreError};
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
        let sql = format!("SELECT {} AND r.id = $1", row::SELECT);
        let found = self.db().query_opt(&sql, &[&id.0]).await?;
        Ok(found.as_ref().map(row::delivery).transpose()?)
    }

    async fn list_deliveries(&self, query: &DeliveryQuery) -> Answer<Vec<Delivery>> {
        let list = listed(query);
        let rows = list.page(self.db(), &query.page, |id| id.0).await?;
        Ok(rows.iter().map(row::delivery).collect::<Result<_>>()?)
    }

    async fn attempts(&self, id: DeliveryId) -> Answer<Vec<AttemptRecord>> {
        let sql = include_str!("../sql/log/attempts.sql");
        let rows = self.db().query(sql, &[&id.0]).await?;
        Ok(rows.iter().map(attempt).collect::<Result<_>>()?)
    }

    async fn delete_delivery(&self, id: DeliveryId, _now: DateTime<Utc>) -> Answer<()> {
        let picked: [Param<'_>; 1] = [&id.0];
        let removed = self
            .remove_picked(include_str!("../sql/log/delete.sql"), &picked)
            .await?;
        if removed == 0 {
            return Err(StoreError::not_found("delivery"));
        }
        Ok(())
    }

    async fn replay(&self, which: &Replay, limit: u32, now: DateTime<Utc>) -> Answer<u64> {
        let limit = i64::from(limit);
        let replayed = match which {
            Replay::Ids(ids) => {
                let ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
                let sql = include_str!("../sql/log/replay_ids.sql");
                self.db().execute(sql, &[&ids, &limit, &now]).await?
            }
            Replay::Failed {
                webhook,
                from,
                before,
            } => {
                let sql = include_str!("../sql/log/replay_failed.sql");
                let params: [Param<'_>; 5] = [&webhook.0, from, before, &limit, &now];
                self.db().execute(sql, &params).await?
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
        let sql = include_str!("../sql/log/cancel.sql");
        Ok(self.db().execute(sql, &[&ids, &reason]).await?)
    }

    async fn expire_held(
        &self,
        created_before: DateTime<Utc>,
        limit: u32,
        _now: DateTime<Utc>,
    ) -> Answer<u64> {
        let params: [Param<'_>; 3] = [&created_before, &i64::from(limit), &EXPIRED_INFO];
        let sql = include_str!("../sql/log/expire_held.sql");
        Ok(self.db().execute(sql, &params).await?)
    }

    async fn purge(&self, bounds: &PurgeBounds, limit: u32, _now: DateTime<Utc>) -> Answer<u64> {
        Ok(self.remove_old(bounds, limit).await?)
    }

    async fn add_usage(&self, deltas: &[UsageDelta]) -> Answer<()> {
        Ok(self.add_log_usage(deltas).await?)
    }

    async fn log_usage(&self, owners: &[OwnerId]) -> Answer<Vec<LogUsage>> {
        Ok(self.used_by_log(owners).await?)
    }

    async fn recount_usage(&self, owner: OwnerId) -> Answer<LogUsage> {
        Ok(self.count_log_usage(owner).await?)
    }

    async fn count_dropped(&self, dropped: &[Dropped]) -> Answer<()> {
        Ok(self.add_dropped(dropped).await?)
    }

    async fn dropped(&self, scope: Scope, limit: u32) -> Answer<Vec<Dropped>> {
        Ok(self.some_dropped(scope, limit).await?)
    }

    async fn queue_stats(&self, _now: DateTime<Utc>) -> Answer<QueueStats> {
        let sql = include_str!("../sql/log/stats.sql");
        let found = self.db().query_opt(sql, &[]).await?;
        let found = found.ok_or_else(|| Failure::unavailable("no row came back"))?;
        Ok(stats(&found)?)
    }
}

impl PostgresStore {
    async fn remove_old(&self, bounds: &PurgeBounds, limit: u32) -> Result<u64> {
        let limit = u64::from(limit);
        let room = |removed: u64| i64::try_from(limit.saturating_sub(removed)).unwrap_or(i64::MAX);
        let by_age: [Param<'_>; 2] = [&bounds.created_before, &room(0)];
        let mut removed = self
            .remove_picked(include_str!("../sql/log/old_by_age.sql"), &by_age)
            .await?;
        if removed < limit {
            let by_count: [Param<'_>; 2] = [&i64::from(bounds.newest_per_webhook), &room(removed)];
            removed += self
                .remove_picked(include_str!("../sql/log/old_by_count.sql"), &by_count)
                .await?;
        }
        for (sql, before) in [
            (
                include_str!("../sql/log/forget_seen.sql"),
                &bounds.occurrences_before,
            ),
            (
                include_str!("../sql/log/forget_dropped.sql"),
                &bounds.created_before,
            ),
        ] {
            if removed < limit {
                removed += self.db().execute(sql, &[before, &room(removed)]).await?;
            }
        }
        Ok(removed)
    }
}

/// The words of states are written out: of those that failed the planner knows an index.
fn listed(query: &DeliveryQuery) -> List {
    let states: Vec<&str> = query.states.iter().map(|s| s.as_str()).collect();
    let states = (!states.is_empty()).then(|| format!("r.state IN ('{}')", states.join("', '")));
    let (owner, tenant) = match query.scope {
        Scope::All => (None, None),
        Scope::Owner(owner) => (Some(owner.0), None),
        Scope::Tenant(tenant) => (None, Some(tenant.0)),
    };
    List::of(row::SELECT)
        .filter("r.owner =", owner)
        .filter("r.tenant =", tenant)
        .filter("r.webhook =", query.webhook.map(|w| w.0))
        .filter("r.task =", query.task.map(|t| t.0))
        .only(states)
        .filter("r.created >=", query.created_from)
        .filter("r.created <", query.created_before)
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
        kept: row.try_get("kept")?,
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
