//! The removal of rows, from the oldest on. Its position is stored: a delivery that was open when
//! it was passed is recorded when it ends.

use gatepost_storage::webhooks::Purged;
use rusqlite::{Connection, params};

use crate::deliveries::history::History;
use crate::deliveries::{remove as remove_one, shrunk, waiting};
use crate::error::{Answer, Result};
use crate::sql::{Sql as _, value};
use crate::store::SqliteStore;

/// The maximum number of rows that one commit removes.
pub(crate) const BITE: u32 = 64;

/// The result of a commit.
struct Bite {
    removed: u64,
    /// The number of rows that it passed: 0 at the end.
    passed: u32,
}

/// Removes rows that are too old, and the oldest ended ones as long as the log has more than
/// `bytes`.
pub(super) async fn remove(store: &SqliteStore, bytes: Option<u64>, limit: u32) -> Answer<Purged> {
    let bytes = bytes.map_or(i64::MAX, |bytes| i64::try_from(bytes).unwrap_or(i64::MAX));
    let mut passed = 0;
    let mut rows = 0;
    while passed < limit {
        // Usually there is nothing to do, and the writer is not used.
        let some = store
            .read(move |c| Ok(!next(c, bytes, 1)?.is_empty()))
            .await?;
        if !some {
            return Ok(Purged { rows, more: false });
        }
        let room = BITE.min(limit - passed);
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
fn next(c: &Connection, bytes: i64, limit: u32) -> Result<Vec<i64>> {
    let mut find = c.prepare_cached(sql!("log/oldest"))?;
    let mut rows = find.query(params![bytes, limit])?;
    let mut found = Vec::new();
    // The rows after one that stays are younger, except for clock differences: they are kept as
    // long as it.
    while let Some(row) = rows.next()?
        && row.get(1)?
    {
        found.push(row.get(0)?);
    }
    Ok(found)
}

fn bite(c: &Connection, bytes: i64, limit: u32) -> Result<Bite> {
    let mut done = Bite {
        removed: 0,
        passed: 0,
    };
    let mut free = 0;
    let excess: i64 = c.one("SELECT bytes - ?1 FROM gatepost_log", [bytes], value)?;
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
        c.run("UPDATE gatepost_log SET walked = ?1", [last])?;
    }
    shrunk(c, free)?;
    Ok(done)
}

fn is_too_old(c: &Connection, id: i64) -> Result<bool> {
    let sql = "SELECT d.created < l.created_before FROM gatepost_delivery d CROSS JOIN gatepost_log l WHERE d.id = ?1";
    Ok(c.first(sql, [id], value)?.unwrap_or(true))
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
                    c.run("DELETE FROM gatepost_left_behind WHERE delivery = ?1", [id])?;
                }
                shrunk(c, free)?;
                Ok(removed)
            })
            .await?;
    }
    Ok(Purged { rows, more: true })
}

fn left_behind(c: &Connection, limit: u32) -> Result<Vec<i64>> {
    let sql = "SELECT delivery FROM gatepost_left_behind ORDER BY delivery LIMIT ?1";
    c.all(sql, [limit], value)
}
