//! Replays.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::Replay;
use rusqlite::{Connection, params};

use crate::column::micros;
use crate::error::Result;
use crate::queue::row::number_of;

/// Row numbers of what is to be sent again, oldest first.
pub(super) fn ids(c: &Connection, which: &Replay, limit: u32) -> Result<Vec<i64>> {
    let mut ids: Vec<i64> = match which {
        Replay::Ids(ids) => ids.iter().map(|id| id.0).collect(),
        Replay::Failed {
            webhook,
            from,
            before,
        } => c
            .prepare_cached(include_str!("../sql/log/failed.sql"))?
            .query_map(
                params![webhook.0, micros(*from), micros(*before), limit],
                |row| row.get(0),
            )?
            .collect::<std::result::Result<_, _>>()?,
    };
    ids.sort_unstable();
    Ok(ids)
}

/// `failed`: only those that are still in state `error`.
pub(super) fn again(
    c: &Connection,
    ids: &[i64],
    failed: bool,
    limit: u32,
    now: DateTime<Utc>,
) -> Result<u64> {
    use gatepost_storage::webhooks::DeliveryState::{Error, Sent};
    let from = number_of(if failed { Error } else { Sent });
    let mut again = c.prepare_cached(include_str!("../sql/log/replay.sql"))?;
    let mut count = 0;
    for id in ids {
        if count == u64::from(limit) {
            break;
        }
        count += again.execute([*id, micros(now), from])? as u64;
    }
    Ok(count)
}
