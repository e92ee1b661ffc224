//! Running batches that the commands of a commit settle: each is read once, and written or removed
//! once.

use std::collections::HashMap;

use rusqlite::{Connection, params};

use super::member::Member;
use super::running::readable;
use crate::error::Result;
use crate::sql::Sql as _;

#[derive(Debug, Default)]
pub(super) struct Held(HashMap<i64, Running>);

#[derive(Debug, Default)]
struct Running {
    open: i64,
    settled: i64,
    /// Empty if the batch no longer exists or cannot be read.
    members: Vec<Member>,
}

impl Held {
    /// Returns the delivery as it was when it was claimed under this token, if the batch still
    /// runs. It may have been settled.
    pub(super) fn member(
        &mut self,
        c: &Connection,
        token: i64,
        delivery: i64,
    ) -> Result<Option<Member>> {
        let members = &self.running(c, token)?.members;
        let at = members.binary_search_by_key(&delivery, |member| member.delivery);
        Ok(at.ok().and_then(|at| members.get(at).copied()))
    }

    /// Records that one delivery of this batch was settled.
    pub(super) fn settled(&mut self, c: &Connection, token: i64) -> Result<()> {
        self.running(c, token)?.settled += 1;
        Ok(())
    }

    pub(super) fn flush(&mut self, c: &Connection) -> Result<()> {
        for (token, running) in self.0.drain() {
            let open = running.open - running.settled;
            if running.settled == 0 {
                continue;
            }
            if open > 0 {
                let sql = "UPDATE gatepost_running SET open = ?2 WHERE token = ?1";
                c.run(sql, params![token, open])?;
            } else {
                c.run("DELETE FROM gatepost_running WHERE token = ?1", [token])?;
            }
        }
        Ok(())
    }

    fn running(&mut self, c: &Connection, token: i64) -> Result<&mut Running> {
        use std::collections::hash_map::Entry::{Occupied, Vacant};
        Ok(match self.0.entry(token) {
            Occupied(known) => known.into_mut(),
            Vacant(new) => new.insert(read(c, token)?),
        })
    }
}

fn read(c: &Connection, token: i64) -> Result<Running> {
    let sql = "SELECT open, members FROM gatepost_running WHERE token = ?1";
    let found = c.first(sql, [token], |row| {
        let open = row.get(0)?;
        Ok(Running {
            open,
            settled: 0,
            members: readable(token, open, row.get_ref(1)?)?.unwrap_or_default(),
        })
    })?;
    Ok(found.unwrap_or_default())
}
