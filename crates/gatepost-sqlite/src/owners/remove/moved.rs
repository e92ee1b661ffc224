//! Deliveries that waited when their owner went to another place.

use gatepost_storage::owners::MOVED_INFO;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::rows::rows;
use crate::error::Result;

/// What is being sent is waited for: it ends here once it waits again.
pub(super) fn end(c: &Connection, room: u32) -> Result<u32> {
    let (mut ended, mut after) = (0, i64::MIN);
    while ended < room {
        let next: Option<(i64, i64)> = c
            .prepare_cached(include_str!("../../sql/owners/next_moved.sql"))?
            .query_row([after], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let Some((owner, last)) = next else { break };
        after = owner;
        let left = room - ended;
        let mut statement = c.prepare_cached(include_str!("../../sql/owners/end_moved.sql"))?;
        let count = rows(statement.execute(params![owner, last, left, MOVED_INFO])?);
        ended += count;
        if count < left && !any_running(c, owner, last)? {
            c.prepare_cached("UPDATE gatepost_owner SET moved = 0 WHERE owner = ?1")?
                .execute([owner])?;
        }
    }
    Ok(ended)
}

/// Whether anything of this owner has not ended.
pub(crate) fn any_open(c: &Connection, owner: i64) -> Result<bool> {
    let waits = c
        .prepare_cached(include_str!("../../sql/owners/any_waiting.sql"))?
        .exists([owner])?;
    Ok(waits || any_running(c, owner, i64::MAX)?)
}

fn any_running(c: &Connection, owner: i64, last: i64) -> Result<bool> {
    Ok(
        c.prepare_cached(include_str!("../../sql/owners/any_running.sql"))?
            .exists([owner, last])?,
    )
}
