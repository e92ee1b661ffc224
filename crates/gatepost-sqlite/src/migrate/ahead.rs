//! The third step writes the whole log once more. What is there when it comes is copied ahead of
//! it, so that the step itself holds nobody up for longer than a moment.

use std::thread;
use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior};

use crate::error::Result;
use crate::version;

const TABLES: &str = include_str!("../../migrations/0003_queue/a_log.sql");
const COPY: &str = include_str!("../../migrations/0003_queue/c_copy.sql");
/// What the first version has not, and what stands there.
const OF_FIRST: [(&str, &str); 3] = [
    ("d.tenant", "NULL"),
    ("d.message_kept", "1"),
    ("a.kept", "1"),
];
/// Deliveries of a bite, and bytes of their messages: about as many as are copied in a pause.
const BITE: i64 = 2_000;
const BYTES: i64 = 4 * 1024 * 1024;
/// Between two bites, for others who wait to write: they look again after at most 100 ms.
const PAUSE: Duration = Duration::from_millis(30);
/// Fewer than this are left to the step.
const FEW: i64 = 500;
/// After those copied before.
const NEXT: &str = "INSERT INTO gatepost_bite SELECT id FROM (
    SELECT id, sum(size) OVER (ORDER BY id) - size AS before FROM (
        SELECT id, octet_length(body) AS size FROM gatepost_delivery
        WHERE id > (SELECT coalesce(max(id), 0) FROM gatepost_delivery_3) ORDER BY id LIMIT ?1))
    WHERE before < ?2";
/// Of those copied before. A bite beyond them would leave out what lies between.
const CHANGED: &str = "INSERT INTO gatepost_bite SELECT id FROM gatepost_changed
    WHERE id <= (SELECT max(id) FROM gatepost_delivery_3) ORDER BY id LIMIT ?1";
const TAKEN: &str = "DELETE FROM gatepost_changed WHERE id IN (SELECT id FROM gatepost_bite)";
const LEFT: &str = "SELECT (SELECT count(*) FROM gatepost_changed) + (SELECT count(*) FROM (
    SELECT 1 FROM gatepost_delivery WHERE id > (SELECT max(id) FROM gatepost_delivery_3) LIMIT 500))";
/// Whether changes are noted: an operator who went back to the version before may have seen to it
/// that they are not.
const NOTED: &str = "SELECT count(*) = 5 FROM sqlite_schema WHERE type = 'trigger' AND name IN (
    'gatepost_delivery_changes', 'gatepost_delivery_goes', 'gatepost_attempt_comes',
    'gatepost_attempt_changes', 'gatepost_attempt_goes')";
const AGAIN: &str = "
    DROP TABLE IF EXISTS gatepost_delivery_3; DROP TABLE IF EXISTS gatepost_outcome;
    DROP TABLE IF EXISTS gatepost_of_webhook; DROP TABLE IF EXISTS gatepost_of_task;
    DROP TABLE IF EXISTS gatepost_of_tenant; DROP TABLE IF EXISTS gatepost_bite;
    DROP TABLE IF EXISTS gatepost_copied; DROP TABLE IF EXISTS gatepost_changed";

/// Whether this version has a log that is copied.
pub(super) fn concerns(version: u32) -> bool {
    (1..3).contains(&version)
}

/// Copies what the log of an earlier version has, beside processes that use it. Goes on where one
/// that was killed has stopped; does nothing to a log without a row.
pub(super) fn copy(connection: &mut Connection) -> Result<()> {
    let last = "SELECT coalesce(max(id), 0) FROM gatepost_delivery";
    let last: i64 = connection.query_row(last, [], |row| row.get(0))?;
    if last == 0 {
        return Ok(());
    }
    tracing::info!(
        last,
        "the log of an earlier version is copied ahead of its migration"
    );
    // Messages may be so large that a bite has few; and what comes meanwhile has no end.
    for _ in 0..1_000 + last / 10 {
        if !bite(connection)? {
            break;
        }
        thread::sleep(PAUSE);
    }
    Ok(())
}

/// Whether another is worth while.
fn bite(connection: &mut Connection) -> Result<bool> {
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have been faster.
    let version = version::of(&tx)?;
    if !concerns(version) {
        return Ok(false);
    }
    if !tx.query_row(NOTED, [], |row| row.get(0))? {
        tx.execute_batch(AGAIN)?;
    }
    tx.execute_batch(TABLES)?;
    if tx.execute(NEXT, [BITE, BYTES])? == 0 {
        tx.execute(CHANGED, [BITE])?;
    }
    tx.execute(TAKEN, [])?;
    tx.execute_batch(&copy_of(version))?;
    let left: i64 = tx.query_row(LEFT, [], |row| row.get(0))?;
    tx.commit()?;
    Ok(left >= FEW)
}

fn copy_of(version: u32) -> String {
    let missing = if version == 1 { &OF_FIRST[..] } else { &[] };
    let put = |text: String, (what, instead): &(&str, &str)| text.replace(what, instead);
    missing.iter().fold(COPY.to_owned(), put)
}

#[cfg(test)]
mod tests;
