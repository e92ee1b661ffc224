//! The check that an edit is based on the current revision.

use gatepost_ids::OwnerId;
use gatepost_storage::{ErrorKind, Revision};
use rusqlite::{Connection, Row};

use crate::column::owner;
use crate::error::{Failure, Result};
use crate::named::Named;
use crate::sql::Sql as _;

/// The columns of the stored row that a change needs, even if the rest cannot be read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stored {
    pub(super) owner: OwnerId,
    pub(super) bytes: i64,
}

/// Returns the row if it still has the revision that the caller has read. `live` is the condition
/// that a row `r` is not deleted.
pub(super) fn check_revision(
    c: &Connection,
    (table, live): (&str, &str),
    id: i64,
    revision: Revision,
    what: &'static str,
) -> Result<Stored> {
    let sql =
        format!("SELECT r.revision, r.owner, r.bytes FROM {table} r WHERE r.id = ?1 AND {live}");
    match c.first(&sql, [id], stored)? {
        None => Err(Failure::not_found(what)),
        Some((found, _)) if found != revision.0 => Err(Failure::new(ErrorKind::Stale, what)),
        Some((_, stored)) => Ok(stored),
    }
}

fn stored(row: &Row<'_>) -> Result<(i64, Stored)> {
    let row = &Named::of(row);
    let revision = row.get("revision")?;
    let stored = Stored {
        owner: owner(row, "owner")?,
        bytes: row.get("bytes")?,
    };
    Ok((revision, stored))
}
