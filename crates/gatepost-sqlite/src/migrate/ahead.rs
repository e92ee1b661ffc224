//! The third step writes the whole log once more. What is there when it comes is copied ahead of
//! it, so that the step itself holds nobody up for longer than a moment.

use std::thread;
use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior};

use crate::error::Result;
use crate::version;

/// The version whose log is copied.
const BEFORE: u32 = 2;
const TABLES: &str = include_str!("../../migrations/0003_queue/a_log.sql");
const COPY: &str = include_str!("../../migrations/0003_queue/c_copy.sql");
/// Deliveries of a bite: about as many as are copied in the time of a pause.
const BITE: i64 = 2_000;
/// Between two bites, for others who wait to write: they look again after at most 100 ms.
const PAUSE: Duration = Duration::from_millis(30);
/// After those copied before, as many as a bite has, up to the last one of when it began.
const NEXT: &str = "INSERT INTO gatepost_bite SELECT id FROM gatepost_delivery
    WHERE id > (SELECT coalesce(max(id), 0) FROM gatepost_delivery_3) AND id <= ?1
    ORDER BY id LIMIT ?2";

/// Copies what the log of the version before has now, beside processes that use it. Goes on where
/// one that was killed has stopped; does nothing to a file of another version.
pub(super) fn copy(connection: &mut Connection) -> Result<()> {
    if version::of(connection)? != BEFORE {
        return Ok(());
    }
    let last = "SELECT coalesce(max(id), 0) FROM gatepost_delivery";
    let last: i64 = connection.query_row(last, [], |row| row.get(0))?;
    while bite(connection, last)? {
        thread::sleep(PAUSE);
    }
    Ok(())
}

/// Whether there was one.
fn bite(connection: &mut Connection, last: i64) -> Result<bool> {
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have been faster.
    if version::of(&tx)? != BEFORE {
        return Ok(false);
    }
    tx.execute_batch(TABLES)?;
    if tx.execute(NEXT, [last, BITE])? == 0 {
        return Ok(false);
    }
    tx.execute_batch(COPY)?;
    tx.commit()?;
    Ok(true)
}

#[cfg(test)]
mod tests;
