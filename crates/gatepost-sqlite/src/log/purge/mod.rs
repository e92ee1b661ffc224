//! Retention. What is too old, or too much of one webhook, is not shown from one commit on; rows
//! are removed from the oldest on, in short commits. What is to be looked at is looked for beside
//! the writer.

mod bite;
mod floors;
mod oldest;

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{PurgeBounds, Purged};
use rusqlite::{Connection, params};

pub(super) use self::bite::BITE;
use self::bite::count;
use crate::column::micros;
use crate::error::{Answer, Result};
use crate::store::SqliteStore;

pub(super) async fn purge(store: &SqliteStore, bounds: PurgeBounds, limit: u32) -> Answer<Purged> {
    let pass = store.write(move |c| begin(c, &bounds)).await?;
    let parts = [
        floors::set(store, bounds.newest_per_webhook, pass, limit).await?,
        oldest::remove(store, bounds.bytes, limit).await?,
        oldest::remove_left_behind(store, limit).await?,
        forget(
            store,
            include_str!("../../sql/log/forget_seen.sql"),
            bounds.occurrences_before,
            limit,
        )
        .await?,
        forget(
            store,
            include_str!("../../sql/log/forget_dropped.sql"),
            bounds.created_before,
            limit,
        )
        .await?,
        forget(
            store,
            include_str!("../../sql/log/forget_counts.sql"),
            bounds.counts_before,
            limit,
        )
        .await?,
    ];
    Ok(Purged {
        rows: parts.iter().map(|part| part.rows).sum(),
        more: parts.iter().any(|part| part.more),
    })
}

/// Hides by age, and says which webhooks are to be looked at: those of which something had ended
/// before this round began. Returns the round.
fn begin(c: &Connection, bounds: &PurgeBounds) -> Result<i64> {
    let keep = i64::from(bounds.newest_per_webhook);
    let (before, shown, pass): (i64, i64, i64) = c
        .prepare_cached("SELECT created_before, shown, pass FROM gatepost_log")?
        .query_row([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    if shown != keep {
        c.prepare_cached(include_str!("../../sql/log/note_all_ended.sql"))?
            .execute([])?;
    }
    let left = c
        .prepare_cached("SELECT 1 FROM gatepost_ended WHERE pass < ?1")?
        .exists([pass])?;
    let ended = c
        .prepare_cached("SELECT 1 FROM gatepost_ended")?
        .exists([])?;
    let next = if ended && !left { pass + 1 } else { pass };
    let created_before = before.max(micros(bounds.created_before));
    if (created_before, keep, next) != (before, shown, pass) {
        c.prepare_cached("UPDATE gatepost_log SET created_before = ?1, shown = ?2, pass = ?3")?
            .execute(params![created_before, keep, next])?;
    }
    Ok(next)
}

/// Removes rows older than this, at most `limit`.
async fn forget(
    store: &SqliteStore,
    sql: &'static str,
    before: DateTime<Utc>,
    limit: u32,
) -> Answer<Purged> {
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
            return Ok(Purged {
                rows: removed.into(),
                more: false,
            });
        }
    }
    Ok(Purged {
        rows: removed.into(),
        more: true,
    })
}
