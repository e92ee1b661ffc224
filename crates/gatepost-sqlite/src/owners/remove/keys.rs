//! The keys of deleted owners, and their counters.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::rows::rows;
use crate::error::Result;

pub(super) fn remove(c: &Connection, room: u32) -> Result<u32> {
    let mut removed = 0;
    while removed < room {
        let next: Option<(Vec<u8>, i64)> = c
            .prepare_cached(
                "SELECT owner, gone_keys FROM gatepost_owner WHERE unfinished = 1 AND gone_keys > 0 LIMIT 1",
            )?
            .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let Some((owner, last)) = next else { break };
        let left = room - removed;
        let mut statement =
            c.prepare_cached(include_str!("../../sql/owners/remove_key_uses.sql"))?;
        let uses = rows(statement.execute(params![owner, last, left, left])?);
        removed += uses;
        let left = left - uses;
        if left == 0 {
            break;
        }
        let mut statement = c.prepare_cached(include_str!("../../sql/owners/remove_keys.sql"))?;
        let count = rows(statement.execute(params![owner, last, left])?);
        removed += count;
        if count < left {
            c.prepare_cached("UPDATE gatepost_owner SET gone_keys = 0 WHERE owner = ?1")?
                .execute([owner])?;
        }
    }
    Ok(removed)
}
