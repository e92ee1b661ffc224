//! Row numbers and tokens: the table `gatepost_log`, in memory for the length of a commit.

use rusqlite::{Connection, params};

use crate::error::Result;

/// Once this many deliveries are not found by their webhooks, they are made so: lists walk over
/// what is not.
const NOT_INDEXED: i64 = 4_096;

/// What `gatepost_log` says, and what is to be added to it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Numbers {
    read: Option<Row>,
    changed: bool,
    bytes: i64,
    arrived: bool,
    /// How often this transaction has said so.
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
    /// Read again, for a command has written it.
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
        c.prepare_cached(include_str!("../sql/batch/write_numbers.sql"))?
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

/// Notes deliveries where lists look for them.
fn index(c: &Connection, after: i64, last: i64) -> Result<()> {
    for sql in [
        include_str!("../sql/batch/index_webhooks.sql"),
        include_str!("../sql/batch/index_tasks.sql"),
        include_str!("../sql/batch/index_tenants.sql"),
    ] {
        c.prepare_cached(sql)?.execute([after, last])?;
    }
    Ok(())
}

fn read(c: &Connection) -> Result<Row> {
    let sql = "SELECT delivery, token, indexed, walked FROM gatepost_log";
    Ok(c.prepare_cached(sql)?.query_row([], |row| {
        Ok(Row {
            delivery: row.get(0)?,
            token: row.get(1)?,
            indexed: row.get(2)?,
            walked: row.get(3)?,
        })
    })?)
}

/// A token for a command that has no batch.
pub(crate) fn next_token(c: &Connection) -> Result<i64> {
    let next = "UPDATE gatepost_log SET token = token + 1 RETURNING token";
    Ok(c.prepare_cached(next)?.query_row([], |row| row.get(0))?)
}

impl Numbers {
    /// The number of a new delivery; none is given twice, in whichever process.
    pub(super) fn next_delivery(&mut self, c: &Connection) -> Result<i64> {
        self.changed = true;
        let row = self.row(c)?;
        row.delivery += 1;
        Ok(row.delivery)
    }

    /// A token greater than all before it.
    pub(super) fn next_token(&mut self, c: &Connection) -> Result<i64> {
        self.changed = true;
        let row = self.row(c)?;
        row.token += 1;
        Ok(row.token)
    }

    /// The log has grown by about this.
    pub(super) fn grown(&mut self, bytes: i64) {
        self.bytes += bytes;
    }

    /// Something waits that another process may send.
    pub(super) fn arrived(&mut self) {
        self.arrived = true;
    }

    /// How often this transaction has said so by now.
    pub(super) fn said(&self) -> i64 {
        self.said
    }
}
