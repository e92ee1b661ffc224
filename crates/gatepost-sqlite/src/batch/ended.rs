//! The record of ended deliveries for retention.

use rusqlite::{Connection, params};

use crate::error::Result;
use crate::sql::Sql as _;

/// Records that a delivery has ended: retention must look at it if it has passed it already.
pub(crate) fn ended(c: &Connection, delivery: i64) -> Result<()> {
    c.run(sql!("batch/leave_behind"), params![delivery])
}
