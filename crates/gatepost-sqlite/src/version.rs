//! The version of the tables in the file: a newer process may bring them forward at any moment.

use gatepost_storage::{ErrorKind, StoreError};
use rusqlite::Connection;

use crate::error::{Failure, Result};

/// The version that this code knows: the number of its migrations.
pub(crate) const KNOWN: u32 = 1;

/// The version that the file has; 0 is that of a file without our tables.
pub(crate) fn of(connection: &Connection) -> Result<u32> {
    let known: bool = connection.query_row(
        "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'gatepost_schema')",
        [],
        |row| row.get(0),
    )?;
    if !known {
        return Ok(0);
    }
    let newest = "SELECT coalesce(max(version), 0) FROM gatepost_schema";
    Ok(connection.query_row(newest, [], |row| row.get(0))?)
}

/// Asked at the beginning of each transaction: what it finds holds until the end. A file that a
/// newer process has brought forward is neither read nor written.
pub(crate) fn check(connection: &Connection) -> Result<()> {
    let mut newest = connection.prepare_cached("SELECT max(version) FROM gatepost_schema")?;
    judge(newest.query_row([], |row| row.get(0))?)
}

/// Whether this code may use what was found.
pub(crate) fn judge(found: u32) -> Result<()> {
    match found > KNOWN {
        true => Err(newer(found, KNOWN)),
        false => Ok(()),
    }
}

/// A file that is not to be touched.
pub(crate) fn newer(found: u32, known: u32) -> Failure {
    let versions = format!("its schema is version {found}, this process knows {known}");
    let context = "the database was written by a newer version of Gatepost";
    let refused = StoreError::new(ErrorKind::Unsupported, context);
    refused.with_source(versions).into()
}
