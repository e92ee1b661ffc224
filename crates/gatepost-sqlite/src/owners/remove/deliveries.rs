//! The deliveries of a deleted webhook, with their outcomes.

use rusqlite::{Connection, params};

use super::rows::rows;
use crate::deliveries::outcome::OUTCOME_BYTES;
use crate::deliveries::{remove_facts, shrunk, waiting};
use crate::error::Result;

pub(super) fn remove(c: &Connection, webhook: i64, room: u32) -> Result<u32> {
    let ids: Vec<i64> = c
        .prepare_cached(include_str!("../../sql/owners/some_deliveries.sql"))?
        .query_map(params![webhook, room], |row| row.get(0))?
        .collect::<std::result::Result<_, _>>()?;
    let (mut removed, mut bytes) = (0, 0);
    for id in ids {
        if removed == room {
            break;
        }
        let mut outcomes =
            c.prepare_cached(include_str!("../../sql/owners/remove_outcomes.sql"))?;
        let count = rows(outcomes.execute(params![id, room - removed])?);
        bytes += OUTCOME_BYTES * i64::from(count);
        removed += count;
        if removed < room {
            // The caller does not count the waiting row as a separate row.
            waiting::remove(c, id)?;
            if let Some(free) = remove_facts(c, id)? {
                removed += 1;
                bytes += free;
            }
        }
    }
    shrunk(c, bytes)?;
    Ok(removed)
}
