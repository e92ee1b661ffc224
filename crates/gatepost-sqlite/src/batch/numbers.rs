//! Row numbers and tokens: the table `gatepost_log`, in memory for the length of a commit.

use rusqlite::{Connection, params};

use crate::error::Result;

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
    pub(super) walked: i64,
    pub(super) pass: i64,
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
        let row = *self.row(c)?;
        c.prepare_cached(include_str!("../sql/batch/write_numbers.sql"))?
            .execute(params![row.delivery, row.token, self.arrived, self.bytes])?;
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

fn read(c: &Connection) -> Result<Row> {
    let sql = "SELECT delivery, token, walked, pass FROM gatepost_log";
    Ok(c.prepare_cached(sql)?.query_row([], |row| {
        Ok(Row {
            delivery: row.get(0)?,
            token: row.get(1)?,
            walked: row.get(2)?,
            pass: row.get(3)?,
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
