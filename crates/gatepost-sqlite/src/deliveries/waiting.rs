//! The rows of the queue: waiting deliveries. Rows are inserted and deleted, never changed.

use rusqlite::{Connection, OptionalExtension as _, Row, params};

use crate::batch::Member;
use crate::error::Result;

const COLUMNS: &str = "id, webhook, due, attempts, tries, lost, class FROM gatepost_queue";

pub(crate) fn insert(c: &Connection, waits: Member) -> Result<()> {
    c.prepare_cached(include_str!("../sql/queue/wait.sql"))?
        .execute(params![
            waits.delivery,
            waits.webhook,
            waits.class,
            waits.due,
            waits.attempts,
            waits.tries,
            waits.lost,
        ])?;
    Ok(())
}

/// Removes a delivery from the queue and returns it, if it waits.
pub(crate) fn take(c: &Connection, delivery: i64) -> Result<Option<Member>> {
    let found = get(c, delivery)?;
    if found.is_some() {
        remove(c, delivery)?;
    }
    Ok(found)
}

pub(crate) fn remove(c: &Connection, delivery: i64) -> Result<()> {
    c.prepare_cached("DELETE FROM gatepost_queue WHERE id = ?1")?
        .execute([delivery])?;
    Ok(())
}

pub(crate) fn get(c: &Connection, delivery: i64) -> Result<Option<Member>> {
    let waits = c
        .prepare_cached(&format!("SELECT {COLUMNS} WHERE id = ?1"))?
        .query_row([delivery], member)
        .optional()?;
    Ok(waits)
}

/// Returns the due deliveries of a queue, the one due first at the beginning.
pub(crate) fn due_in_queue(
    c: &Connection,
    webhook: i64,
    class: i16,
    now: i64,
    limit: u32,
) -> Result<Vec<Member>> {
    let mut find = c.prepare_cached(include_str!("../sql/queue/claimable.sql"))?;
    let found = find.query_map(params![webhook, class, now, limit], member)?;
    Ok(found.collect::<rusqlite::Result<_>>()?)
}

/// Returns the oldest waiting delivery of a webhook.
pub(crate) fn oldest(c: &Connection, webhook: i64) -> Result<Option<Member>> {
    let head = c
        .prepare_cached(include_str!("../sql/queue/oldest_waiting.sql"))?
        .query_row([webhook], member)
        .optional()?;
    Ok(head)
}

fn member(row: &Row<'_>) -> rusqlite::Result<Member> {
    Ok(Member {
        delivery: row.get(0)?,
        webhook: row.get(1)?,
        due: row.get(2)?,
        attempts: row.get(3)?,
        tries: row.get(4)?,
        lost: row.get(5)?,
        class: row.get(6)?,
    })
}
