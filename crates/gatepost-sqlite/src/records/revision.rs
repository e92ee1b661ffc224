//! Edits that were made on what has changed since are refused.

use gatepost_storage::{ErrorKind, Revision};
use rusqlite::{Connection, OptionalExtension as _};

use crate::error::{Failure, Result};

/// `Ok` if the row still has the revision that the caller has read.
pub(super) fn check_revision(
    c: &Connection,
    table: &str,
    id: i64,
    revision: Revision,
    what: &'static str,
) -> Result<()> {
    let found: Option<i64> = c
        .prepare_cached(&format!("SELECT revision FROM {table} WHERE id = ?1"))?
        .query_row([id], |row| row.get(0))
        .optional()?;
    match found {
        None => Err(Failure::not_found(what)),
        Some(found) if found != revision.0 => Err(Failure::new(ErrorKind::Stale, what)),
        Some(_) => Ok(()),
    }
}
