//! The delivery log.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{
    AttemptRecord, Delivery, DeliveryId, DeliveryLog, DeliveryQuery, EXPIRED_INFO, Phases,
    PurgeBounds, QueueStats, Replay,
};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use crate::column::{maybe_time, micros, number, span, time};
use crate::error::{Answer, Failure, Result};
use crate::list::List;
use crate::queue::row;
use crate::store::SqliteStore;

#[async_trait]
impl DeliveryLog for SqliteStore {
    async fn delivery(&self, id: DeliveryId) -> Answer<Option<Delivery>> {
        self.read(move |c| {
            c.prepare_cached(&format!("SELECT {} WHERE id = ?1", row::COLUMNS))?
                .query_row([id.0], |r| Ok(row::delivery(r)))
                .optional()?
                .transpose()
        })
        .await
    }

    async fn list_deliveries(&self, query: &DeliveryQuery) -> Answer<Vec<Delivery>> {
        let states: Vec<i64> = query.states.iter().map(|s| row::number_of(*s)).collect();
        let list = List::of(row::COLUMNS)
            .filter("webhook =", query.webhook.map(|w| w.0))
            .filter("task =", query.task.map(|t| t.0))
            .one_of("state", &states)
            .filter("created >=", query.created_from.map(micros))
            .filter("created <", query.created_before.map(micros));
        let page = query.page;
        self.read(move |c| list.page(c, &page, |id| id.0, row::delivery))
            .await
    }

    async fn attempts(&self, id: DeliveryId) -> Answer<Vec<AttemptRecord>> {
        self.read(move |c| {
            let mut statement = c.prepare_cached(
                "SELECT * FROM gatepost_attempt WHERE delivery = ?1 ORDER BY number",
            )?;
            let mut rows = statement.query([id.0])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                found.push(attempt(row)?);
            }
            Ok(found)
        })
        .await
    }

    async fn delete_delivery(&self, id: DeliveryId, _now: DateTime<Utc>) -> Answer<()> {
        self.write(move |c| {
            let mut statement = c.prepare_cached("DELETE FROM gatepost_delivery WHERE id = ?1")?;
            match statement.execute([id.0])? {
                0 => Err(Failure::not_found("delivery")),
                _ => Ok(()),
            }
        })
        .await
    }

    async fn replay(&self, which: &Replay, limit: u32, now: DateTime<Utc>) -> Answer<u64> {
        let which = which.clone();
        self.write(move |c| replay(c, &which, limit, now)).await
    }

    async fn cancel(&self, ids: &[DeliveryId], reason: &str, _now: DateTime<Utc>) -> Answer<u64> {
        let (ids, reason) = (ids.to_vec(), reason.to_owned());
        self.write(move |c| {
            let mut end = c.prepare_cached(
                "UPDATE gatepost_delivery SET state = 3, status_info = ?2 WHERE id = ?1 AND state = 0",
            )?;
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
        self.write(move |c| {
            let mut end = c.prepare_cached(include_str!("sql/log/expire_held.sql"))?;
            let ended = end.execute(params![micros(created_before), limit, EXPIRED_INFO])?;
            Ok(ended as u64)
        })
        .await
    }

    async fn purge(&self, bounds: &PurgeBounds, limit: u32, _now: DateTime<Utc>) -> Answer<u64> {
        let bounds = *bounds;
        self.write(move |c| purge(c, &bounds, limit)).await
    }

    async fn queue_stats(&self, _now: DateTime<Utc>) -> Answer<QueueStats> {
        self.read(|c| {
            c.prepare_cached(include_str!("sql/log/stats.sql"))?
                .query_row([], |row| Ok(stats(row)))?
        })
        .await
    }
}

fn replay(c: &Connection, which: &Replay, limit: u32, now: DateTime<Utc>) -> Result<u64> {
    let mut ids: Vec<i64> = match which {
        Replay::Ids(ids) => ids.iter().map(|id| id.0).collect(),
        Replay::Failed {
            webhook,
            from,
            before,
        } => c
            .prepare_cached(include_str!("sql/log/failed.sql"))?
            .query_map(
                params![webhook.0, micros(*from), micros(*before), limit],
                |row| row.get(0),
            )?
            .collect::<std::result::Result<_, _>>()?,
    };
    ids.sort_unstable();
    let mut again = c.prepare_cached(include_str!("sql/log/replay.sql"))?;
    let mut count = 0;
    for id in ids {
        if count == u64::from(limit) {
            break;
        }
        count += again.execute([id, micros(now)])? as u64;
    }
    Ok(count)
}

fn purge(c: &Connection, bounds: &PurgeBounds, limit: u32) -> Result<u64> {
    let limit = u64::from(limit);
    let room = |removed: u64| i64::try_from(limit.saturating_sub(removed)).unwrap_or(i64::MAX);
    let mut removed = c
        .prepare_cached(include_str!("sql/log/old_by_age.sql"))?
        .execute([micros(bounds.created_before), room(0)])? as u64;
    let webhooks: Vec<i64> = c
        .prepare_cached("SELECT id FROM gatepost_webhook")?
        .query_map([], |row| row.get(0))?
        .collect::<std::result::Result<_, _>>()?;
    for webhook in webhooks {
        if removed >= limit {
            return Ok(removed);
        }
        removed += c
            .prepare_cached(include_str!("sql/log/old_by_count.sql"))?
            .execute(params![webhook, bounds.newest_per_webhook, room(removed)])?
            as u64;
    }
    removed += c
        .prepare_cached(include_str!("sql/log/forget_seen.sql"))?
        .execute([micros(bounds.occurrences_before), room(removed)])? as u64;
    Ok(removed)
}

fn attempt(row: &Row<'_>) -> Result<AttemptRecord> {
    let status: Option<i64> = row.get("status")?;
    let remote: Option<String> = row.get("remote")?;
    Ok(AttemptRecord {
        number: number(row, "number")?,
        started: time(row, "started")?,
        duration: span(row, "duration_us")?.unwrap_or_default(),
        phases: Phases {
            dns: span(row, "dns_us")?,
            connect: span(row, "connect_us")?,
            tls: span(row, "tls_us")?,
            first_byte: span(row, "first_byte_us")?,
        },
        class: row.get("class")?,
        info: row.get("info")?,
        status: status
            .map(u16::try_from)
            .transpose()
            .map_err(|e| Failure::corrupt("status", e))?,
        remote: remote
            .map(|r| r.parse())
            .transpose()
            .map_err(|e| Failure::corrupt("remote", e))?,
        protocol: row.get("protocol")?,
        response_head: row.get("response_head")?,
        response_body: row.get("response_body")?,
        truncated: row.get("truncated")?,
    })
}

fn stats(row: &Row<'_>) -> Result<QueueStats> {
    Ok(QueueStats {
        queued: number(row, "queued")?,
        running: number(row, "running")?,
        oldest_due: maybe_time(row, "oldest_due")?,
        outbox: number(row, "outbox")?,
    })
}
