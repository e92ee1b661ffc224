//! The version of the tables in the file: a newer process may migrate them at any moment.

use gatepost_storage::{ErrorKind, StoreError};
use rusqlite::Connection;

use crate::error::{Failure, Result};
use crate::sql::{Sql as _, value};

/// The version that this code knows: the number of its migrations.
pub(crate) const KNOWN: u32 = 1;

/// Returns the version of the file; 0 if it does not have our tables.
pub(crate) fn of(connection: &Connection) -> Result<u32> {
    let known = "SELECT 1 FROM sqlite_schema WHERE name = 'gatepost_schema'";
    if !connection.has(known, [])? {
        return Ok(0);
    }
    let newest = "SELECT coalesce(max(version), 0) FROM gatepost_schema";
    connection.one(newest, [], value)
}

/// Checks the version at the beginning of a transaction, for the whole of which it then applies. A
/// file that a newer process has migrated is neither read nor written.
pub(crate) fn check(connection: &Connection) -> Result<()> {
    judge(connection.one("SELECT max(version) FROM gatepost_schema", [], value)?)
}

/// Checks that this code may use the version that was found.
pub(crate) fn judge(found: u32) -> Result<()> {
    match found > KNOWN {
        true => Err(newer(found, KNOWN)),
        false => Ok(()),
    }
}

/// Returns the error of a file of a newer version.
pub(crate) fn newer(found: u32, known: u32) -> Failure {
    let versions = format!("its schema is version {found}, this process knows {known}");
    let context = "the database was written by a newer version of Gatepost";
    let refused = StoreError::new(ErrorKind::Unsupported, context);
    refused.with_source(versions).into()
}
