//! Retention: what is not kept is looked for beside the writer, and removed in short commits.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::PurgeBounds;
use rusqlite::{Connection, ToSql, params};

use crate::column::micros;
use crate::error::{Answer, Result};
use crate::store::SqliteStore;

/// The maximum number of rows that one commit removes.
pub(super) const BITE: usize = 64;

pub(super) async fn purge(store: &SqliteStore, bounds: &PurgeBounds, limit: u32) -> Answer<u64> {
    let before = micros(bounds.created_before);
    let keep = bounds.newest_per_webhook;
    let ids = store.read(move |c| old_by_age(c, before, limit)).await?;
    let mut removed = remove(store, ids).await?;
    let room = limit.saturating_sub(removed);
    let ids = store.read(move |c| old_by_count(c, keep, room)).await?;
    removed += remove(store, ids).await?;
    let seen = include_str!("../sql/log/forget_seen.sql");
    removed += forget(store, seen, bounds.occurrences_before, limit - removed).await?;
    let dropped = include_str!("../sql/log/forget_dropped.sql");
    removed += forget(store, dropped, bounds.created_before, limit - removed).await?;
    Ok(removed.into())
}

fn old_by_age(c: &Connection, before: i64, limit: u32) -> Result<Vec<i64>> {
    let sql = include_str!("../sql/log/old_by_age.sql");
    ids(c, sql, &[&before, &limit])
}

/// Each webhook has what is too much for itself.
fn old_by_count(c: &Connection, keep: u32, limit: u32) -> Result<Vec<i64>> {
    let webhooks = ids(c, "SELECT id FROM gatepost_live_webhook", &[])?;
    let mut found = Vec::new();
    for webhook in webhooks {
        let room = (limit as usize).saturating_sub(found.len());
        if room == 0 {
            break;
        }
        let room = u32::try_from(room).unwrap_or(u32::MAX);
        let sql = include_str!("../sql/log/old_by_count.sql");
        found.extend(ids(c, sql, &[&webhook, &keep, &room])?);
    }
    Ok(found)
}

fn ids(c: &Connection, sql: &str, params: &[&dyn ToSql]) -> Result<Vec<i64>> {
    let mut statement = c.prepare_cached(sql)?;
    let ids = statement.query_map(params, |row| row.get(0))?;
    Ok(ids.collect::<std::result::Result<_, _>>()?)
}

/// Removes these; one that was replayed since then stays.
async fn remove(store: &SqliteStore, ids: Vec<i64>) -> Answer<u32> {
    let mut removed = 0;
    for bite in ids.chunks(BITE) {
        let bite = bite.to_vec();
        removed += store
            .write(move |c| {
                let sql = "DELETE FROM gatepost_delivery WHERE id = ?1 AND state >= 2";
                let mut delete = c.prepare_cached(sql)?;
                let mut removed = 0;
                for id in bite {
                    removed += count(delete.execute([id])?);
                }
                Ok(removed)
            })
            .await?;
    }
    Ok(removed)
}

/// Removes rows older than this, at most `limit`.
async fn forget(
    store: &SqliteStore,
    sql: &'static str,
    before: DateTime<Utc>,
    limit: u32,
) -> Answer<u32> {
    let mut removed = 0;
    while removed < limit {
        let bite = (limit - removed).min(count(BITE));
        let gone = store
            .write(move |c| {
                Ok(count(
                    c.prepare_cached(sql)?
                        .execute(params![micros(before), bite])?,
                ))
            })
            .await?;
        removed += gone;
        if gone < bite {
            break;
        }
    }
    Ok(removed)
}

fn count(rows: usize) -> u32 {
    u32::try_from(rows).unwrap_or(u32::MAX)
}
