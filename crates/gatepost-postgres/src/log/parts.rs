//! The partitions of the log: created ahead, and dropped when all deliveries in one are old.
//!
//! The statement that defines a partition waits at most `WAIT` for the locks of the log, because
//! all writers wait behind it. If a reader such as a dump holds a lock for longer, the next call
//! tries again.

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::webhooks::{LogHeadroom, PurgeBounds};
use tokio_postgres::Row;

use crate::column::total;
use crate::error::Result;
use crate::store::PostgresStore;

const PARTS: &str = sql!("log/parts");
const BYTES: &str = sql!("log/bytes");
const OPEN_IN: &str = sql!("log/open_in");
const LATE_OUTCOMES: &str = sql!("log/late_outcomes");
/// The maximum wait for the locks of the log.
const WAIT: &str = "BEGIN; SET LOCAL lock_timeout = '50ms'";
/// Attaching a partition reads the deliveries beyond the last partition, under a lock. If they are
/// too many, no partition is attached until they have been removed.
const SCAN: &str = "SET LOCAL statement_timeout = '100ms'";
/// The number of empty partitions that are created ahead.
const AHEAD: usize = 2;
/// The approximate number of partitions that cover the age of retention.
const COVER: i64 = 8;
/// The number of ids in a partition: in the first ones, and the minimum and the maximum later.
const FIRST_SIZE: i64 = 1_000_000;
const SIZES: std::ops::RangeInclusive<i64> = 200_000..=50_000_000;
/// The ids left free if deliveries have run past the last partition: about as many as are used
/// before the next one is attached.
const MARGIN: i64 = 10_000;
/// Deliveries that have not ended are moved out of a partition in batches, the last one in the
/// transaction that drops the partition.
const BITE: i64 = 500;
/// The assumed maximum difference between the clocks of processes.
const SKEW: TimeDelta = TimeDelta::seconds(60);

#[derive(Clone, Copy, Debug)]
struct Part {
    first: i64,
    beyond: i64,
    /// The id that was assigned last.
    last: i64,
    /// The times at which its first and its last delivery were created.
    began: Option<DateTime<Utc>>,
    ended: Option<DateTime<Utc>>,
}

impl PostgresStore {
    pub(super) async fn make_room(&self, now: DateTime<Utc>) -> Result<LogHeadroom> {
        let bytes = self.log_bytes().await?;
        if !self.may_define() {
            return Ok(LogHeadroom { ahead: None, bytes });
        }
        let mut parts = self.parts().await?;
        for _ in 0..AHEAD {
            let ahead = parts.iter().filter(|part| part.first > part.last).count();
            if ahead >= AHEAD {
                break;
            }
            match self.add_part(&parts, now).await {
                Ok(()) => parts = self.parts().await?,
                // A transaction reads the log for a long time: retry with the next call.
                Err(failure) if failure.was_locked || failure.was_victim => break,
                Err(failure) => return Err(failure),
            }
        }
        let ahead = parts.iter().filter(|part| part.first > part.last).count();
        let ahead = Some(u32::try_from(ahead).unwrap_or(u32::MAX));
        Ok(LogHeadroom { ahead, bytes })
    }

    /// Drops the oldest partition if all deliveries in it are old or the log is too large.
    /// Returns whether there may be more work: the partition was dropped, or some of the deliveries
    /// that block this were moved.
    pub(super) async fn drop_part(&self, bounds: &PurgeBounds) -> Result<bool> {
        let parts = self.parts().await?;
        let Some(oldest) = parts.first().copied() else {
            return Ok(false);
        };
        // Deliveries are still written to it, or may be: an enqueue under way has ids in its range.
        if !self.may_define() || oldest.beyond > oldest.last || parts.len() <= AHEAD + 1 {
            return Ok(false);
        }
        let before = bounds.created_before.checked_sub_signed(SKEW);
        let before = before.unwrap_or(bounds.created_before);
        let old = oldest.ended.is_none_or(|ended| ended < before);
        let full = match bounds.bytes {
            Some(most) if !old => self.log_bytes().await? > most,
            _ => false,
        };
        if !old && !full {
            return Ok(false);
        }
        let range: [crate::db::Param<'_>; 3] = [&oldest.first, &oldest.beyond, &BITE];
        let row = self.db().row(OPEN_IN, &range).await?;
        if row.try_get::<_, i64>("moved")? >= BITE {
            return Ok(true);
        }
        match self.drop_range(oldest).await {
            Ok(()) => Ok(true),
            Err(failure) if failure.was_locked || failure.was_victim => Ok(false),
            Err(failure) => Err(failure),
        }
    }

    async fn drop_range(&self, part: Part) -> Result<()> {
        let tx = self.db().begin(WAIT).await?;
        // In the order in which all others take these locks.
        tx.run(
            "LOCK TABLE ONLY :schema.gatepost_delivery, ONLY :schema.gatepost_outcome IN ACCESS EXCLUSIVE MODE",
        )
        .await?;
        tx.query(OPEN_IN, &[&part.first, &part.beyond, &i64::MAX])
            .await?;
        tx.query(LATE_OUTCOMES, &[&part.first, &part.beyond])
            .await?;
        let first = part.first;
        tx.run(&format!(
            "DROP TABLE :schema.gatepost_delivery_{first}, :schema.gatepost_outcome_{first}; DELETE FROM :schema.gatepost_part WHERE first = {first}"
        ))
        .await?;
        tx.commit().await
    }

    /// Attaches a new partition instead of creating it as one: this needs no lock that blocks
    /// writers.
    async fn add_part(&self, parts: &[Part], now: DateTime<Utc>) -> Result<()> {
        let tx = self.db().begin(WAIT).await?;
        tx.run(SCAN).await?;
        let row = tx
            .query_one(
                "SELECT (SELECT coalesce(max(beyond), 0) FROM :schema.gatepost_part) AS beyond, last_value AS last, created_before > '-infinity' AS bounded, \
                 CASE WHEN created_before > '-infinity' THEN created_before END AS created_before \
                 FROM :schema.gatepost_delivery_id_seq, :schema.gatepost_kept",
                &[],
            )
            .await?;
        let (beyond, last): (i64, i64) = (row.try_get("beyond")?, row.try_get("last")?);
        let first = if last >= beyond {
            last + MARGIN
        } else {
            beyond
        };
        let kept: Option<DateTime<Utc>> = row.try_get("created_before")?;
        let end = first + size(parts, kept, now);
        for (table, id) in [("delivery", "id"), ("outcome", "delivery")] {
            tx.run(&format!(
                "CREATE TABLE :schema.gatepost_{table}_{first} (LIKE :schema.gatepost_{table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES, \
                 CONSTRAINT gatepost_range CHECK ({id} >= {first} AND {id} < {end})); \
                 ALTER TABLE :schema.gatepost_{table} ATTACH PARTITION :schema.gatepost_{table}_{first} FOR VALUES FROM ({first}) TO ({end}); \
                 ALTER TABLE :schema.gatepost_{table}_{first} DROP CONSTRAINT gatepost_range"
            ))
            .await?;
        }
        tx.query(
            "INSERT INTO :schema.gatepost_part (first, beyond) VALUES ($1, $2)",
            &[&first, &end],
        )
        .await?;
        tx.commit().await
    }

    async fn parts(&self) -> Result<Vec<Part>> {
        let rows = self.db().query(PARTS, &[]).await?;
        rows.iter().map(part).collect()
    }

    async fn log_bytes(&self) -> Result<u64> {
        total(&self.db().row(BYTES, &[]).await?, "bytes")
    }
}

fn part(row: &Row) -> Result<Part> {
    Ok(Part {
        first: row.try_get("first")?,
        beyond: row.try_get("beyond")?,
        last: row.try_get("last")?,
        began: row.try_get("began")?,
        ended: row.try_get("ended")?,
    })
}

/// Returns a size with which about `COVER` partitions hold the retained deliveries, at the rate at
/// which the newest ones were filled.
fn size(parts: &[Part], kept: Option<DateTime<Utc>>, now: DateTime<Utc>) -> i64 {
    let filled = parts.iter().filter(|part| part.began.is_some());
    let Some((oldest, kept)) = filled.rev().take(2).last().zip(kept) else {
        return FIRST_SIZE;
    };
    let age = (now - kept).num_seconds().max(0);
    let seconds = oldest.began.map_or(0, |began| (now - began).num_seconds());
    if seconds < 60 {
        return FIRST_SIZE;
    }
    let ids =
        i128::from(oldest.last - oldest.first) * i128::from(age) / i128::from(seconds * COVER);
    i64::try_from(ids)
        .unwrap_or(i64::MAX)
        .clamp(*SIZES.start(), *SIZES.end())
}
