//! Deleted webhooks and tasks, with all their rows.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::deliveries;
use super::rows::rows;
use crate::batch::forget_claims;
use crate::error::Result;

/// Marks the webhooks of deleted owners one by one: after that the owner may return.
pub(super) fn of_gone_owners(c: &Connection, room: u32) -> Result<u32> {
    let mut touched = 0;
    while touched < room {
        let next: Option<(Vec<u8>, i64)> = c
            .prepare_cached(
                "SELECT owner, gone_webhooks FROM gatepost_owner WHERE unfinished = 1 AND gone_webhooks > 0 LIMIT 1",
            )?
            .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let Some((owner, last)) = next else { break };
        let left = room - touched;
        let mut statement = c.prepare_cached(include_str!("../../sql/owners/mark_webhooks.sql"))?;
        let count = rows(statement.execute(params![owner, last, left])?);
        touched += count;
        if count < left {
            c.prepare_cached("UPDATE gatepost_owner SET gone_webhooks = 0 WHERE owner = ?1")?
                .execute([owner])?;
        }
    }
    Ok(touched)
}

pub(super) fn remove(c: &Connection, room: u32) -> Result<u32> {
    let mut removed = 0;
    let next = "SELECT id FROM gatepost_task INDEXED BY gatepost_task_gone WHERE gone = 1 ORDER BY id LIMIT 1";
    while removed < room
        && let Some(task) = first(c, next)?
    {
        removed += task_with_events(c, task, room - removed)?;
    }
    let next = "SELECT id FROM gatepost_webhook INDEXED BY gatepost_webhook_gone WHERE gone = 1 ORDER BY id LIMIT 1";
    while removed < room
        && let Some(webhook) = first(c, next)?
    {
        removed += webhook_with_all(c, webhook, room - removed)?;
    }
    Ok(removed)
}

fn first(c: &Connection, sql: &str) -> Result<Option<i64>> {
    Ok(c.prepare_cached(sql)?
        .query_row([], |row| row.get(0))
        .optional()?)
}

/// Removes the rows of a webhook within the limit, and the webhook itself last.
fn webhook_with_all(c: &Connection, webhook: i64, room: u32) -> Result<u32> {
    let mut removed = 0;
    while removed < room {
        let task: Option<i64> = c
            .prepare_cached("SELECT id FROM gatepost_task WHERE webhook = ?1 LIMIT 1")?
            .query_row([webhook], |row| row.get(0))
            .optional()?;
        let Some(task) = task else { break };
        removed += task_with_events(c, task, room - removed)?;
    }
    removed += some(
        c,
        include_str!("../../sql/owners/remove_rejected.sql"),
        webhook,
        room - removed,
    )?;
    forget_claims(c, |member| member.webhook == webhook)?;
    removed += deliveries::remove(c, webhook, room - removed)?;
    if removed < room {
        let mut delete = c.prepare_cached("DELETE FROM gatepost_webhook WHERE id = ?1")?;
        removed += rows(delete.execute([webhook])?);
    }
    Ok(removed)
}

fn task_with_events(c: &Connection, task: i64, room: u32) -> Result<u32> {
    let removed = some(
        c,
        include_str!("../../sql/owners/remove_events.sql"),
        task,
        room,
    )?;
    if removed == room {
        return Ok(removed);
    }
    let task = c
        .prepare_cached("DELETE FROM gatepost_task WHERE id = ?1")?
        .execute([task])?;
    Ok(removed + rows(task))
}

fn some(c: &Connection, sql: &str, of: i64, limit: u32) -> Result<u32> {
    Ok(rows(c.prepare_cached(sql)?.execute(params![of, limit])?))
}
