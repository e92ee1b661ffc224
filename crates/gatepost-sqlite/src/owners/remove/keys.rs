//! The keys of deleted owners, and their counters.

use rusqlite::{Connection, params};

use crate::error::Result;
use crate::sql::Sql as _;

pub(super) fn remove(c: &Connection, room: u32) -> Result<u32> {
    let mut removed = 0;
    while removed < room {
        let sql = "SELECT owner, gone_keys FROM gatepost_owner WHERE unfinished = 1 AND gone_keys > 0 LIMIT 1";
        let next: Option<(Vec<u8>, i64)> = c.first(sql, [], |row| Ok(row.try_into()?))?;
        let Some((owner, last)) = next else { break };
        let left = room - removed;
        let sql = sql!("owners/remove_key_uses");
        let uses = c.changed(sql, params![owner, last, left, left])?;
        removed += uses;
        let left = left - uses;
        if left == 0 {
            break;
        }
        let count = c.changed(sql!("owners/remove_keys"), params![owner, last, left])?;
        removed += count;
        if count < left {
            let sql = "UPDATE gatepost_owner SET gone_keys = 0 WHERE owner = ?1";
            c.run(sql, [owner])?;
        }
    }
    Ok(removed)
}
