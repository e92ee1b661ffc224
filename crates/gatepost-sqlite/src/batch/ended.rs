//! What retention has to know of deliveries that end.

use rusqlite::{Connection, params};

use crate::error::Result;

/// A delivery has ended: retention is to look at it if it has passed it.
pub(crate) fn ended(c: &Connection, delivery: i64) -> Result<()> {
    c.prepare_cached(include_str!("../sql/batch/leave_behind.sql"))?
        .execute(params![delivery])?;
    Ok(())
}
