//! Deliveries that waited when their owner went to another place.

use gatepost_storage::owners::MOVED_INFO;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::{Progress, rows};
use crate::error::Result;

pub(super) fn end(c: &Connection, room: u32) -> Result<Progress> {
    let mut ended = 0;
    while ended < room {
        let next: Option<(i64, i64)> = c
            .prepare_cached("SELECT owner, moved FROM gatepost_owner WHERE unfinished = 1 AND moved > 0 LIMIT 1")?
            .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let Some((owner, last)) = next else { break };
        let left = room - ended;
        let mut statement = c.prepare_cached(include_str!("../../sql/owners/end_moved.sql"))?;
        let count = rows(statement.execute(params![owner, last, left, MOVED_INFO])?);
        ended += count;
        if count < left {
            c.prepare_cached("UPDATE gatepost_owner SET moved = 0 WHERE owner = ?1")?
                .execute([owner])?;
        }
    }
    Ok(Progress::removed(ended))
}
