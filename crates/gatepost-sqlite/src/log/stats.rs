//! The statistics of the queue: one caller counts, all read the result.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::QueueStats;
use rusqlite::{Connection, Row, params};

use crate::batch::{is_open, running, webhook};
use crate::column::{maybe_time, micros, number, time};
use crate::error::Result;
use crate::named::Named;
use crate::queue::queues::oldest_due;
use crate::sql::Sql as _;

/// Scans the waiting deliveries, on a connection that reads.
pub(super) fn count(c: &Connection, now: DateTime<Utc>) -> Result<QueueStats> {
    let (queued, outbox) = c.one(sql!("log/stats"), [], |row| {
        let row = Named::of(row);
        let of = |column| number::<u64>(&row, column);
        Ok((of("queued")?, of("outbox")?))
    })?;
    Ok(QueueStats {
        counted: now,
        queued,
        running: sent_now(c)?,
        oldest_due: oldest_due(c)?,
        outbox,
    })
}

/// Returns the open members of all batches, except those of deleted webhooks.
fn sent_now(c: &Connection) -> Result<u64> {
    let (mut count, mut live) = (0, HashMap::new());
    for batch in running(c, i64::MAX)? {
        count += batch.open;
        for member in batch.members {
            let is_live = match live.get(&member.webhook) {
                Some(known) => *known,
                None => {
                    let found = webhook(c, member.webhook)?.is_some();
                    live.insert(member.webhook, found);
                    found
                }
            };
            if !is_live && is_open(c, batch.token, member)? {
                count -= 1;
            }
        }
    }
    Ok(u64::try_from(count).unwrap_or(0))
}

pub(super) fn keep(c: &Connection, counted: &QueueStats) -> Result<()> {
    let stored = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    c.prepare_cached(sql!("log/keep_stats"))?.execute(params![
        micros(counted.counted),
        stored(counted.queued),
        stored(counted.running),
        counted.oldest_due.map(micros),
        stored(counted.outbox),
    ])?;
    Ok(())
}

pub(super) fn kept(c: &Connection) -> Result<Option<QueueStats>> {
    let sql =
        "SELECT counted, queued, running, oldest_due, outbox FROM gatepost_figures WHERE one = 1";
    c.first(sql, [], stats)
}

/// Returns the approximate size of the log.
pub(super) fn bytes(c: &Connection) -> Result<u64> {
    c.one("SELECT bytes FROM gatepost_log", [], |row| {
        number(&Named::of(row), "bytes")
    })
}

fn stats(row: &Row<'_>) -> Result<QueueStats> {
    let row = &Named::of(row);
    Ok(QueueStats {
        counted: time(row, "counted")?,
        queued: number(row, "queued")?,
        running: number(row, "running")?,
        oldest_due: maybe_time(row, "oldest_due")?,
        outbox: number(row, "outbox")?,
    })
}
