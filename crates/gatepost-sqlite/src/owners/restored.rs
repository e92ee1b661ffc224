//! A file that was put back goes on beyond the numbers that were given since.

use gatepost_storage::owners::{LOG_PASSED_OVER, RECORDS_PASSED_OVER};
use rusqlite::{Connection, params};

use crate::error::Result;
use crate::{generations, places};

/// Tables whose row numbers SQLite gives, and how many of them are passed over.
const NUMBERED: [(&str, i64); 6] = [
    ("gatepost_key", RECORDS_PASSED_OVER),
    ("gatepost_webhook", RECORDS_PASSED_OVER),
    ("gatepost_task", RECORDS_PASSED_OVER),
    ("gatepost_event", RECORDS_PASSED_OVER),
    ("gatepost_occurrence", LOG_PASSED_OVER),
    ("gatepost_audit", LOG_PASSED_OVER),
];
const REVISED: [&str; 4] = [
    "gatepost_key",
    "gatepost_webhook",
    "gatepost_task",
    "gatepost_event",
];

/// In one commit, with all that other processes look at to learn of changes.
pub(super) fn pass_over(c: &Connection) -> Result<()> {
    for (table, numbers) in NUMBERED {
        // A table that never had a row is not there yet.
        c.execute(include_str!("../sql/owners/sequence.sql"), [table])?;
        let sql = "UPDATE sqlite_sequence SET seq = seq + ?2 WHERE name = ?1";
        c.execute(sql, params![table, numbers])?;
    }
    for table in REVISED {
        let sql = format!("UPDATE {table} SET revision = revision + ?1");
        c.execute(&sql, [RECORDS_PASSED_OVER])?;
    }
    c.execute(
        include_str!("../sql/owners/pass_over_log.sql"),
        [LOG_PASSED_OVER],
    )?;
    let sql = "UPDATE gatepost_key_generation SET generation = generation + ?1";
    c.execute(sql, [RECORDS_PASSED_OVER])?;
    generations::changed_at_large(c)?;
    places::all_changed_at_large(c, RECORDS_PASSED_OVER)
}
