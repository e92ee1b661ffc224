//! All running batches, for searches by delivery: at most as many as the engine's limit of
//! concurrent deliveries.

use gatepost_storage::{ErrorKind, StoreError};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, params};

use super::member::{Member, decode, encode};
use crate::error::{Failure, Result};
use crate::sql::Sql as _;

/// A running batch.
#[derive(Clone, Debug)]
pub(crate) struct Running {
    pub(crate) token: i64,
    pub(crate) lease_until: i64,
    pub(crate) open: i64,
    /// Includes settled deliveries; empty if the batch cannot be read.
    pub(crate) members: Vec<Member>,
}

/// Returns every batch whose token is not greater than this.
pub(crate) fn running(c: &Connection, up_to: i64) -> Result<Vec<Running>> {
    c.all(sql!("batch/running"), [up_to], |row| {
        let token = row.get(0)?;
        let (open, members) = (row.get(2)?, row.get_ref(3)?);
        Ok(Running {
            token,
            lease_until: row.get(1)?,
            open,
            members: readable(token, open, members)?.unwrap_or_default(),
        })
    })
}

/// Returns the members of a batch of which this many are open; `None` if they cannot be read. Such
/// a batch blocks no other, and is never removed: nothing else is known of its members.
pub(crate) fn readable(
    token: i64,
    open: i64,
    members: ValueRef<'_>,
) -> Result<Option<Vec<Member>>> {
    let members = match members.as_blob() {
        Ok(bytes) => decode(bytes),
        Err(error) => Err(Failure::corrupt("members", error)),
    };
    let read = members.and_then(|members| match i64::try_from(members.len()) {
        Ok(count) if count >= open => Ok(members),
        _ => Err(Failure::corrupt("members", "fewer than are open")),
    });
    match read {
        Ok(members) => Ok(Some(members)),
        Err(failure) if failure.kind() == ErrorKind::Corrupt => {
            let error = StoreError::from(failure);
            tracing::error!(token, %error, "a batch cannot be read");
            Ok(None)
        }
        Err(failure) => Err(failure),
    }
}

/// Returns whether a member of a running batch was not settled yet. An ended delivery may have been
/// removed.
pub(crate) fn is_open(c: &Connection, token: i64, member: Member) -> Result<bool> {
    let sql = "SELECT 1 FROM gatepost_delivery WHERE id = ?1";
    let is_kept = c.has(sql, [member.delivery])?;
    let sql = "SELECT 1 FROM gatepost_outcome WHERE delivery = ?1 AND token = ?2";
    let settled = c.has(sql, [member.delivery, token])?;
    Ok(is_kept && !settled)
}

/// Removes these members from their batches, which end with their last open member.
pub(crate) fn forget_claims(c: &Connection, which: impl Fn(&Member) -> bool) -> Result<()> {
    for batch in running(c, i64::MAX)? {
        let (gone, rest): (Vec<Member>, Vec<Member>) =
            batch.members.into_iter().partition(|member| which(member));
        if gone.is_empty() {
            continue;
        }
        let mut open = batch.open;
        for member in gone {
            open -= i64::from(is_open(c, batch.token, member)?);
        }
        if open > 0 {
            let sql = "UPDATE gatepost_running SET members = ?2, open = ?3 WHERE token = ?1";
            c.run(sql, params![batch.token, encode(&rest), open])?;
        } else {
            let sql = "DELETE FROM gatepost_running WHERE token = ?1";
            c.run(sql, [batch.token])?;
        }
    }
    Ok(())
}
