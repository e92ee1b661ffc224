//! The deliveries of a deleted webhook, with their outcomes.

use rusqlite::{Connection, params};

use crate::deliveries::outcome::OUTCOME_BYTES;
use crate::deliveries::{remove_facts, shrunk, waiting};
use crate::error::Result;
use crate::sql::{Sql as _, value};

pub(super) fn remove(c: &Connection, webhook: i64, room: u32) -> Result<u32> {
    let sql = sql!("owners/some_deliveries");
    let ids: Vec<i64> = c.all(sql, params![webhook, room], value)?;
    let (mut removed, mut bytes) = (0, 0);
    for id in ids {
        if removed == room {
            break;
        }
        let sql = sql!("owners/remove_outcomes");
        let count = c.changed(sql, params![id, room - removed])?;
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
