//! The leases that the commands of a commit make. Leases that end at about the same time share a
//! row and a token.

use rusqlite::{Connection, params};

use super::member::{Member, encode};
use super::numbers::Numbers;
use crate::error::Result;
use crate::sql::Sql as _;

/// The maximum number of deliveries that share a token: their row is written again at each commit
/// that settles some of them.
const TOGETHER: usize = 64;
/// The maximum difference between the ends of leases that share a token, in microseconds; the last
/// end applies to all.
const APART: i64 = 500_000;

#[derive(Debug, Default)]
pub(super) struct Leases(Vec<Lease>);

#[derive(Debug)]
struct Lease {
    token: i64,
    until: i64,
    last: i64,
    members: Vec<Member>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    leases: usize,
    members: usize,
    last: i64,
}

impl Leases {
    /// Leases a delivery until this time, and returns the token.
    pub(super) fn lease(
        &mut self,
        c: &Connection,
        numbers: &mut Numbers,
        member: Member,
        until: i64,
    ) -> Result<i64> {
        if let Some(lease) = self.0.last_mut()
            && lease.members.len() < TOGETHER
            && lease.until.abs_diff(until) <= APART.cast_unsigned()
        {
            lease.last = lease.last.max(until);
            lease.members.push(member);
            return Ok(lease.token);
        }
        let token = numbers.next_token(c)?;
        self.0.push(Lease {
            token,
            until,
            last: until,
            members: vec![member],
        });
        Ok(token)
    }

    pub(super) fn flush(&mut self, c: &Connection) -> Result<()> {
        for mut lease in self.0.drain(..) {
            insert(c, lease.token, lease.last, None, &mut lease.members)?;
        }
        Ok(())
    }

    pub(super) fn mark(&self) -> Mark {
        let last = self.0.last();
        Mark {
            leases: self.0.len(),
            members: last.map_or(0, |lease| lease.members.len()),
            last: last.map_or(0, |lease| lease.last),
        }
    }

    pub(super) fn back_to(&mut self, mark: Mark) {
        self.0.truncate(mark.leases);
        if let Some(lease) = self.0.last_mut() {
            lease.members.truncate(mark.members);
            lease.last = mark.last;
        }
    }
}

/// Inserts a running batch. `webhook` is that of the only member, if it delivers in order.
pub(crate) fn insert(
    c: &Connection,
    token: i64,
    until: i64,
    webhook: Option<i64>,
    members: &mut [Member],
) -> Result<()> {
    members.sort_unstable_by_key(|member| member.delivery);
    let open = i64::try_from(members.len()).unwrap_or(i64::MAX);
    let sql = sql!("batch/insert_running");
    c.run(sql, params![token, until, open, webhook, encode(members)])
}
