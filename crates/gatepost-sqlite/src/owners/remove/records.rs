//! Deleted webhooks and tasks, with all their rows.

use rusqlite::{Connection, params};

use super::deliveries;
use crate::batch::forget_claims;
use crate::error::Result;
use crate::sql::{Sql as _, value};

/// Marks the webhooks of deleted owners one by one: after that the owner may return.
pub(super) fn of_gone_owners(c: &Connection, room: u32) -> Result<u32> {
    let mut touched = 0;
    while touched < room {
        let sql = "SELECT owner, gone_webhooks FROM gatepost_owner WHERE unfinished = 1 AND gone_webhooks > 0 LIMIT 1";
        let next: Option<(Vec<u8>, i64)> = c.first(sql, [], |row| Ok(row.try_into()?))?;
        let Some((owner, last)) = next else { break };
        let left = room - touched;
        let count = c.changed(sql!("owners/mark_webhooks"), params![owner, last, left])?;
        touched += count;
        if count < left {
            let sql = "UPDATE gatepost_owner SET gone_webhooks = 0 WHERE owner = ?1";
            c.run(sql, [owner])?;
        }
    }
    Ok(touched)
}

pub(super) fn remove(c: &Connection, room: u32) -> Result<u32> {
    let mut removed = 0;
    let next = "SELECT id FROM gatepost_task INDEXED BY gatepost_task_gone WHERE gone = 1 ORDER BY id LIMIT 1";
    while removed < room
        && let Some(task) = c.first(next, [], value)?
    {
        removed += task_with_events(c, task, room - removed)?;
    }
    let next = "SELECT id FROM gatepost_webhook INDEXED BY gatepost_webhook_gone WHERE gone = 1 ORDER BY id LIMIT 1";
    while removed < room
        && let Some(webhook) = c.first(next, [], value)?
    {
        removed += webhook_with_all(c, webhook, room - removed)?;
    }
    Ok(removed)
}

/// Removes the rows of a webhook within the limit, and the webhook itself last.
fn webhook_with_all(c: &Connection, webhook: i64, room: u32) -> Result<u32> {
    let mut removed = 0;
    let task = "SELECT id FROM gatepost_task WHERE webhook = ?1 LIMIT 1";
    while removed < room
        && let Some(task) = c.first(task, [webhook], value)?
    {
        removed += task_with_events(c, task, room - removed)?;
    }
    let rejected = params![webhook, room - removed];
    removed += c.changed(sql!("owners/remove_rejected"), rejected)?;
    forget_claims(c, |member| member.webhook == webhook)?;
    removed += deliveries::remove(c, webhook, room - removed)?;
    if removed < room {
        removed += c.changed("DELETE FROM gatepost_webhook WHERE id = ?1", [webhook])?;
    }
    Ok(removed)
}

fn task_with_events(c: &Connection, task: i64, room: u32) -> Result<u32> {
    let removed = c.changed(sql!("owners/remove_events"), params![task, room])?;
    if removed == room {
        return Ok(removed);
    }
    let task = c.changed("DELETE FROM gatepost_task WHERE id = ?1", [task])?;
    Ok(removed + task)
}
