//! Retention.

use gatepost_storage::webhooks::PurgeBounds;
use rusqlite::{Connection, params};

use crate::column::micros;
use crate::error::Result;

pub(super) fn purge(c: &Connection, bounds: &PurgeBounds, limit: u32) -> Result<u64> {
    let limit = u64::from(limit);
    let room = |removed: u64| i64::try_from(limit.saturating_sub(removed)).unwrap_or(i64::MAX);
    let mut removed = c
        .prepare_cached(include_str!("../sql/log/old_by_age.sql"))?
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
            .prepare_cached(include_str!("../sql/log/old_by_count.sql"))?
            .execute(params![webhook, bounds.newest_per_webhook, room(removed)])?
            as u64;
    }
    removed += c
        .prepare_cached(include_str!("../sql/log/forget_seen.sql"))?
        .execute([micros(bounds.occurrences_before), room(removed)])? as u64;
    removed += c
        .prepare_cached(include_str!("../sql/log/forget_dropped.sql"))?
        .execute([micros(bounds.created_before), room(removed)])? as u64;
    Ok(removed)
}
