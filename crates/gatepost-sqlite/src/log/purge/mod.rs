//! Retention. Deliveries that are too old are hidden in one commit; rows are removed in short
//! commits: first those beyond their owner's share, then from the oldest on. The search for them
//! does not use the writer.

mod hidden;
mod oldest;

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{PurgeBounds, Purged};
use rusqlite::{Connection, params};

pub(super) use self::oldest::BITE;
use crate::column::micros;
use crate::error::{Answer, Result};
use crate::sql::Sql as _;
use crate::store::SqliteStore;

pub(super) async fn purge(store: &SqliteStore, bounds: PurgeBounds, limit: u32) -> Answer<Purged> {
    let before = micros(bounds.created_before);
    store.write(move |c| hide(c, before)).await?;
    let (seen, counts) = (sql!("log/forget_seen"), sql!("log/forget_counts"));
    let rejected = sql!("log/forget_rejected");
    let parts = [
        hidden::remove(store, limit).await?,
        oldest::remove(store, bounds.bytes, limit).await?,
        oldest::remove_left_behind(store, limit).await?,
        forget(store, seen, bounds.occurrences_before, limit).await?,
        forget(store, rejected, bounds.created_before, limit).await?,
        forget(store, counts, bounds.counts_before, limit).await?,
    ];
    Ok(Purged {
        rows: parts.iter().map(|part| part.rows).sum(),
        more: parts.iter().any(|part| part.more),
    })
}

/// Hides by age.
fn hide(c: &Connection, before: i64) -> Result<()> {
    let sql = "UPDATE gatepost_log SET created_before = ?1 WHERE created_before < ?1";
    c.run(sql, [before])
}

/// Removes rows older than this, at most `limit`.
async fn forget(
    store: &SqliteStore,
    sql: &'static str,
    before: DateTime<Utc>,
    limit: u32,
) -> Answer<Purged> {
    let (mut removed, mut more) = (0, true);
    while removed < limit && more {
        let bite = (limit - removed).min(BITE);
        let gone = store
            .write(move |c| c.changed(sql, params![micros(before), bite]))
            .await?;
        removed += gone;
        more = gone == bite;
    }
    Ok(Purged {
        rows: removed.into(),
        more,
    })
}
