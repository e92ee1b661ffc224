//! Deliveries of a webhook that is gone, with their attempts.

use rusqlite::{Connection, params};

use super::rows::rows;
use crate::error::Result;

pub(super) fn remove(c: &Connection, webhook: i64, room: u32) -> Result<u32> {
    let ids: Vec<i64> = c
        .prepare_cached(include_str!("../../sql/owners/some_deliveries.sql"))?
        .query_map(params![webhook, room], |row| row.get(0))?
        .collect::<std::result::Result<_, _>>()?;
    let mut removed = 0;
    for id in ids {
        if removed == room {
            break;
        }
        let mut attempts =
            c.prepare_cached(include_str!("../../sql/owners/remove_attempts.sql"))?;
        removed += rows(attempts.execute(params![id, room - removed])?);
        if removed < room {
            let mut delivery = c.prepare_cached("DELETE FROM gatepost_delivery WHERE id = ?1")?;
            removed += rows(delivery.execute([id])?);
        }
    }
    Ok(removed)
}
