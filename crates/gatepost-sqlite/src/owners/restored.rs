//! Moves the numbers of a restored file beyond those that were assigned after the backup.

use chrono::{DateTime, Utc};
use gatepost_storage::owners::SkippedIds;
use rusqlite::{Connection, params};

use crate::error::Result;
use crate::{generations, realms};

/// Tables whose row numbers SQLite assigns, and whose rows have revisions.
const RECORDS: [&str; 4] = [
    "gatepost_key",
    "gatepost_webhook",
    "gatepost_task",
    "gatepost_event",
];
/// Tables whose rows have no revisions.
const LOG: [&str; 2] = ["gatepost_occurrence", "gatepost_audit"];

/// Skips the numbers in one commit, together with all counters by which other processes notice
/// changes.
pub(super) fn pass_over(c: &Connection, now: DateTime<Utc>) -> Result<()> {
    let SkippedIds { gap, floor } = SkippedIds::of_records(now);
    let of_log = SkippedIds::of_log(now);
    for table in RECORDS {
        pass_over_rows(c, table, SkippedIds { gap, floor })?;
        let sql = format!("UPDATE {table} SET revision = max(revision + ?1, ?2)");
        c.execute(&sql, [gap, floor])?;
    }
    for table in LOG {
        pass_over_rows(c, table, of_log)?;
    }
    let sql = sql!("owners/pass_over_log");
    c.execute(sql, [of_log.gap, of_log.floor])?;
    c.execute("DELETE FROM gatepost_session", [])?;
    let sql = "UPDATE gatepost_key_generation SET generation = max(generation + ?1, ?2)";
    c.execute(sql, [gap, floor])?;
    generations::changed_at_large(c)?;
    realms::all_changed_at_large(c, SkippedIds { gap, floor })
}

fn pass_over_rows(c: &Connection, table: &str, numbers: SkippedIds) -> Result<()> {
    // The counter of a table that never had a row does not exist yet.
    c.execute(sql!("owners/sequence"), [table])?;
    let sql = "UPDATE sqlite_sequence SET seq = max(seq + ?2, ?3) WHERE name = ?1";
    c.execute(sql, params![table, numbers.gap, numbers.floor])?;
    Ok(())
}
