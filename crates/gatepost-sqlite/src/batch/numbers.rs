//! Row numbers and tokens: the table `gatepost_log`, in memory for the duration of a commit.

use rusqlite::{Connection, params};

use crate::error::Result;
use crate::sql::{Sql as _, value};

/// The number of deliveries without index entries at which these are added: lists scan deliveries
/// without them.
const NOT_INDEXED: i64 = 4_096;

/// The row of `gatepost_log`, and the changes to add to it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Numbers {
    read: Option<Row>,
    changed: bool,
    bytes: i64,
    arrived: bool,
    /// The number of notifications in this transaction.
    said: i64,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    delivery: i64,
    token: i64,
    indexed: i64,
    pub(super) walked: i64,
}

impl Numbers {
    /// Makes the next access read the row again, because a command has written it.
    pub(super) fn forget(&mut self) {
        self.read = None;
    }

    pub(super) fn flush(&mut self, c: &Connection) -> Result<()> {
        if !self.changed && self.bytes == 0 && !self.arrived {
            return Ok(());
        }
        let row = self.row(c)?;
        if row.delivery - row.indexed >= NOT_INDEXED {
            index(c, row.indexed, row.delivery)?;
            row.indexed = row.delivery;
        }
        let row = *row;
        c.prepare_cached(sql!("batch/write_numbers"))?
            .execute(params![
                row.delivery,
                row.token,
                self.arrived,
                self.bytes,
                row.indexed
            ])?;
        self.said += i64::from(self.arrived);
        (self.changed, self.bytes, self.arrived) = (false, 0, false);
        Ok(())
    }

    pub(super) fn row(&mut self, c: &Connection) -> Result<&mut Row> {
        Ok(match &mut self.read {
            Some(row) => row,
            none => none.insert(read(c)?),
        })
    }
}

/// Adds the index entries that lists use.
fn index(c: &Connection, after: i64, last: i64) -> Result<()> {
    for sql in [
        sql!("batch/index_webhooks"),
        sql!("batch/index_tasks"),
        sql!("batch/index_tenants"),
    ] {
        c.run(sql, [after, last])?;
    }
    Ok(())
}

fn read(c: &Connection) -> Result<Row> {
    let sql = "SELECT delivery, token, indexed, walked FROM gatepost_log";
    c.one(sql, [], |row| {
        Ok(Row {
            delivery: row.get(0)?,
            token: row.get(1)?,
            indexed: row.get(2)?,
            walked: row.get(3)?,
        })
    })
}

/// Returns a token for a command that has no batch.
pub(crate) fn next_token(c: &Connection) -> Result<i64> {
    let next = "UPDATE gatepost_log SET token = token + 1 RETURNING token";
    c.one(next, [], value)
}

impl Numbers {
    /// Returns the number of a new delivery; no process assigns it twice.
    pub(super) fn next_delivery(&mut self, c: &Connection) -> Result<i64> {
        self.changed = true;
        let row = self.row(c)?;
        row.delivery += 1;
        Ok(row.delivery)
    }

    /// Returns a token greater than all earlier ones.
    pub(super) fn next_token(&mut self, c: &Connection) -> Result<i64> {
        self.changed = true;
        let row = self.row(c)?;
        row.token += 1;
        Ok(row.token)
    }

    /// Records that the log has grown by about this many bytes.
    pub(super) fn grown(&mut self, bytes: i64) {
        self.bytes += bytes;
    }

    /// Records that a delivery waits that another process may send.
    pub(super) fn arrived(&mut self) {
        self.arrived = true;
    }

    /// Returns the number of notifications in this transaction.
    pub(super) fn said(&self) -> i64 {
        self.said
    }
}
