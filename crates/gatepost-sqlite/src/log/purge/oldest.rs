//! The removal of rows, from the oldest on. Its position is stored: a delivery that was open when
//! it was passed is recorded when it ends.

use gatepost_storage::webhooks::Purged;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::batch_size::BITE;
use crate::deliveries::history::History;
use crate::deliveries::{remove as remove_one, shrunk, waiting};
use crate::error::{Answer, Result};
use crate::store::SqliteStore;

/// The result of a commit.
struct Bite {
    removed: u64,
    /// The number of rows that it passed: 0 at the end.
    passed: u64,
}

/// Removes rows that are too old, and the oldest ended ones as long as the log has more than
/// `bytes`.
pub(super) async fn remove(store: &SqliteStore, bytes: Option<u64>, limit: u32) -> Answer<Purged> {
    let bytes = bytes.map_or(i64::MAX, |bytes| i64::try_from(bytes).unwrap_or(i64::MAX));
    let mut passed = 0;
    let mut rows = 0;
    while passed < u64::from(limit) {
        // Usually there is nothing to do, and the writer is not used.
        let some = store
            .read(move |c| Ok(!next(c, bytes, 1)?.is_empty()))
            .await?;
        if !some {
            return Ok(Purged { rows, more: false });
        }
        let room = BITE.min(usize::try_from(u64::from(limit) - passed).unwrap_or(BITE));
        let bite = store.write(move |c| bite(c, bytes, room)).await?;
        rows += bite.removed;
        passed += bite.passed;
        if bite.passed == 0 {
            return Ok(Purged { rows, more: false });
        }
    }
    Ok(Purged { rows, more: true })
}

/// Returns the next rows that are too old, or beyond the bytes of the log.
fn next(c: &Connection, bytes: i64, limit: usize) -> Result<Vec<i64>> {
    let mut find = c.prepare_cached(include_str!("../../sql/log/oldest.sql"))?;
    let ids = find.query_map(
        params![bytes, i64::try_from(limit).unwrap_or(i64::MAX)],
        |row| Ok((row.get::<_, i64>(0)?, row.get::<_, bool>(1)?)),
    )?;
    let mut found = Vec::new();
    for id in ids {
        match id? {
            (id, true) => found.push(id),
            // The rows after it are younger, except for clock differences: they are kept as long as
            // this one.
            (_, false) => break,
        }
    }
    Ok(found)
}

fn bite(c: &Connection, bytes: i64, limit: usize) -> Result<Bite> {
    let mut done = Bite {
        removed: 0,
        passed: 0,
    };
    let mut free = 0;
    let excess = c
        .prepare_cached("SELECT bytes - ?1 FROM gatepost_log")?
        .query_row([bytes], |row| row.get::<_, i64>(0))?;
    let mut last = None;
    for id in next(c, bytes, limit)? {
        // Enough bytes were freed, and the rest is not too old.
        if excess > 0 && free >= excess && !is_too_old(c, id)? {
            break;
        }
        if has_ended(c, id)? {
            free += remove_one(c, id)?;
            done.removed += 1;
        }
        done.passed += 1;
        last = Some(id);
    }
    if let Some(last) = last {
        c.prepare_cached("UPDATE gatepost_log SET walked = ?1")?
            .execute([last])?;
    }
    shrunk(c, free)?;
    Ok(done)
}

fn is_too_old(c: &Connection, id: i64) -> Result<bool> {
    let sql = "SELECT d.created < l.created_before FROM gatepost_delivery d CROSS JOIN gatepost_log l WHERE d.id = ?1";
    let old = c.prepare_cached(sql)?.query_row([id], |row| row.get(0));
    Ok(old.optional()?.unwrap_or(true))
}

pub(super) fn has_ended(c: &Connection, id: i64) -> Result<bool> {
    Ok(waiting::get(c, id)?.is_none() && History::of(c, id)?.has_ended())
}

pub(super) async fn remove_left_behind(store: &SqliteStore, limit: u32) -> Answer<Purged> {
    let mut rows = 0;
    while rows < u64::from(limit) {
        let some = store.read(|c| Ok(!left_behind(c, 1)?.is_empty())).await?;
        if !some {
            return Ok(Purged { rows, more: false });
        }
        rows += store
            .write(|c| {
                let (mut removed, mut free) = (0, 0);
                for id in left_behind(c, BITE)? {
                    // A replayed delivery is recorded again when it ends.
                    if has_ended(c, id)? {
                        free += remove_one(c, id)?;
                        removed += 1;
                    }
                    c.prepare_cached("DELETE FROM gatepost_left_behind WHERE delivery = ?1")?
                        .execute([id])?;
                }
                shrunk(c, free)?;
                Ok(removed)
            })
            .await?;
    }
    Ok(Purged { rows, more: true })
}

fn left_behind(c: &Connection, limit: usize) -> Result<Vec<i64>> {
    let mut find =
        c.prepare_cached("SELECT delivery FROM gatepost_left_behind ORDER BY delivery LIMIT ?1")?;
    let ids = find.query_map([i64::try_from(limit).unwrap_or(i64::MAX)], |row| row.get(0))?;
    Ok(ids.collect::<rusqlite::Result<_>>()?)
}
