//! The version of the routes: moved by every change of a record, read by every enqueue.

use gatepost_storage::webhooks::RoutesVersion;
use rusqlite::Connection;

use crate::error::Result;

/// The present version of the records.
pub(crate) fn version(c: &Connection) -> Result<RoutesVersion> {
    let mut statement = c.prepare_cached("SELECT version FROM gatepost_routes")?;
    Ok(RoutesVersion(statement.query_row([], |row| row.get(0))?))
}

/// Part of every change of a record.
pub(crate) fn routes_changed(c: &Connection) -> Result<()> {
    c.prepare_cached("UPDATE gatepost_routes SET version = version + 1")?
        .execute([])?;
    Ok(())
}
