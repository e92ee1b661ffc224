//! Deliveries that waited when their owner moved to another realm.

use gatepost_ids::OwnerId;
use gatepost_storage::webhooks::EndReason;
use rusqlite::{Connection, params};

use super::notification::sends_again;
use crate::batch::{is_open, next_token, running};
use crate::deliveries::end_waiting;
use crate::error::Result;
use crate::sql::{Sql as _, value};

/// Ends waiting deliveries. It waits for running ones, which end here when they wait again.
pub(super) fn end(c: &Connection, room: u32) -> Result<u32> {
    // No owner has fewer bytes.
    let (mut ended, mut after) = (0, Vec::new());
    while ended < room {
        let next: Option<(Vec<u8>, i64)> = c.first(sql!("owners/next_moved"), [&after], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
        let Some((owner, last)) = next else { break };
        let left = room - ended;
        let sql = sql!("owners/waiting_moved");
        let ids: Vec<i64> = c.all(sql, params![owner, last, left], value)?;
        let count = u32::try_from(ids.len()).unwrap_or(u32::MAX);
        if count > 0 {
            let token = next_token(c)?;
            for id in ids {
                end_waiting(c, id, EndReason::OwnerMoved.as_str(), token)?;
            }
        }
        ended += count;
        if count < left && !any_running(c, &owner, last)? {
            let sql = "UPDATE gatepost_owner SET moved = 0 WHERE owner = ?1";
            c.run(sql, [&owner])?;
            sends_again(c)?;
        }
        after = owner;
    }
    Ok(ended)
}

/// Returns whether any delivery of this owner has not ended.
pub(crate) fn any_open(c: &Connection, owner: OwnerId) -> Result<bool> {
    let waits = c.has(sql!("owners/any_waiting"), [owner.to_bytes()])?;
    Ok(waits || any_running(c, &owner.to_bytes(), i64::MAX)?)
}

/// Scans the running batches, whose number is limited.
fn any_running(c: &Connection, owner: &[u8], last: i64) -> Result<bool> {
    let owned = "SELECT 1 FROM gatepost_webhook WHERE id = ?1 AND owner = ?2 AND gone = 0";
    let mut owned = c.prepare_cached(owned)?;
    for batch in running(c, i64::MAX)? {
        for member in batch.members {
            if member.delivery <= last
                && owned.exists(params![member.webhook, owner])?
                && is_open(c, batch.token, member)?
            {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
