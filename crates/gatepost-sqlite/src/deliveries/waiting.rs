//! The rows of the queue: waiting deliveries. Rows are inserted and deleted, never changed.

use rusqlite::{Connection, Row, params};

use crate::batch::Member;
use crate::error::Result;
use crate::sql::Sql as _;

const COLUMNS: &str = "id, webhook, due, attempts, tries, lost, class FROM gatepost_queue";

pub(crate) fn insert(c: &Connection, waits: Member) -> Result<()> {
    c.prepare_cached(sql!("queue/wait"))?.execute(params![
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
    c.run("DELETE FROM gatepost_queue WHERE id = ?1", [delivery])
}

pub(crate) fn get(c: &Connection, delivery: i64) -> Result<Option<Member>> {
    let sql = &format!("SELECT {COLUMNS} WHERE id = ?1");
    c.first(sql, [delivery], member)
}

/// Returns the due deliveries of a queue, the one due first at the beginning.
pub(crate) fn due_in_queue(
    c: &Connection,
    webhook: i64,
    class: i16,
    now: i64,
    limit: u32,
) -> Result<Vec<Member>> {
    let sql = sql!("queue/claimable");
    c.all(sql, params![webhook, class, now, limit], member)
}

/// Returns the oldest waiting delivery of a webhook.
pub(crate) fn oldest(c: &Connection, webhook: i64) -> Result<Option<Member>> {
    c.first(sql!("queue/oldest_waiting"), [webhook], member)
}

fn member(row: &Row<'_>) -> Result<Member> {
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
