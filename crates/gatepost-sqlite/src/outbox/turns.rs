//! The order in which audiences take turns.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{OpenOutbox, OutboxAudience, OutboxId, OutboxRow, OutboxTaken};
use rusqlite::{Connection, params};

use super::row::{open_row, outbox_row};
use crate::column::micros;
use crate::error::Result;
use crate::sql::{Sql as _, value};

/// Returns whether an audience may have something due.
pub(super) fn any(c: &Connection, holder: u128, now: DateTime<Utc>) -> Result<bool> {
    let sql = sql!("outbox/any");
    c.has(sql, params![micros(now), holder.to_be_bytes()])
}

/// Takes the audience that was taken longest ago, with its due rows.
pub(super) fn take(
    c: &Connection,
    holder: u128,
    limit: u32,
    until: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<Option<OutboxTaken>> {
    let now = micros(now);
    c.run(sql!("outbox/wake"), [now])?;
    // Each round takes one of the audiences that are ready.
    while let Some(audience) = ready(c, holder)? {
        let (tenant, owner) = columns(audience);
        let rows = rows(c, audience, limit, now)?;
        if !rows.is_empty() {
            let sql = "UPDATE gatepost_log SET outbox_turn = outbox_turn + 1 RETURNING outbox_turn";
            let turn: i64 = c.one(sql, [], value)?;
            let holder = holder.to_be_bytes();
            let sql = sql!("outbox/hold");
            c.run(sql, params![tenant, owner, holder, micros(until), turn])?;
            return Ok(Some(OutboxTaken { audience, rows }));
        }
        let later: Option<i64> =
            c.first(sql!("outbox/next_due"), params![tenant, owner, now], value)?;
        let sql = sql!("outbox/put_off");
        c.run(sql, params![tenant, owner, later.unwrap_or(i64::MAX)])?;
    }
    Ok(None)
}

pub(super) fn give_back(c: &Connection, audience: OutboxAudience, holder: u128) -> Result<()> {
    let (tenant, owner) = columns(audience);
    let sql = sql!("outbox/give_back");
    c.run(sql, params![tenant, owner, holder.to_be_bytes()])
}

/// Returns the columns `turn_tenant` and `turn_owner`.
fn columns(audience: OutboxAudience) -> ([u8; 16], [u8; 16]) {
    let OutboxAudience { tenant, owner } = audience;
    (tenant.to_be_bytes(), owner.to_be_bytes())
}

fn ready(c: &Connection, holder: u128) -> Result<Option<OutboxAudience>> {
    c.first(sql!("outbox/ready"), [holder.to_be_bytes()], |row| {
        Ok(OutboxAudience {
            tenant: u128::from_be_bytes(row.get(0)?),
            owner: u128::from_be_bytes(row.get(1)?),
        })
    })
}

fn rows(c: &Connection, audience: OutboxAudience, limit: u32, now: i64) -> Result<Vec<OutboxRow>> {
    let (tenant, owner) = columns(audience);
    let sql = sql!("outbox/due_of");
    c.all(sql, params![now, limit, tenant, owner], outbox_row)
}

/// Returns the remaining tasks of the rows of an audience before this row.
pub(super) fn open(
    c: &Connection,
    audience: OutboxAudience,
    before: OutboxId,
    limit: u32,
) -> Result<Vec<OpenOutbox>> {
    let (tenant, owner) = columns(audience);
    let sql = sql!("outbox/open");
    c.all(sql, params![tenant, owner, before.0, limit], open_row)
}
