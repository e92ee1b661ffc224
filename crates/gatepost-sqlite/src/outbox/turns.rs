//! The order in which audiences take turns.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{OpenOutbox, OutboxAudience, OutboxId, OutboxRow, OutboxTaken};
use rusqlite::{Connection, OptionalExtension as _, params};

use super::row::{open_row, outbox_row};
use crate::column::micros;
use crate::error::Result;

/// Returns whether an audience may have something due.
pub(super) fn any(c: &Connection, holder: u128, now: DateTime<Utc>) -> Result<bool> {
    let any = c
        .prepare_cached(include_str!("../sql/outbox/any.sql"))?
        .exists(params![micros(now), holder.to_be_bytes()])?;
    Ok(any)
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
    c.prepare_cached(include_str!("../sql/outbox/wake.sql"))?
        .execute([now])?;
    // Each round takes one of the audiences that are ready.
    while let Some(audience) = ready(c, holder)? {
        let (tenant, owner) = columns(audience);
        let rows = rows(c, audience, limit, now)?;
        if !rows.is_empty() {
            let turn: i64 = c
                .prepare_cached(
                    "UPDATE gatepost_log SET outbox_turn = outbox_turn + 1 RETURNING outbox_turn",
                )?
                .query_row([], |row| row.get(0))?;
            let holder = holder.to_be_bytes();
            c.prepare_cached(include_str!("../sql/outbox/hold.sql"))?
                .execute(params![tenant, owner, holder, micros(until), turn])?;
            return Ok(Some(OutboxTaken { audience, rows }));
        }
        let later: Option<i64> = c
            .prepare_cached(include_str!("../sql/outbox/next_due.sql"))?
            .query_row(params![tenant, owner, now], |row| row.get(0))
            .optional()?;
        c.prepare_cached(include_str!("../sql/outbox/put_off.sql"))?
            .execute(params![tenant, owner, later.unwrap_or(i64::MAX)])?;
    }
    Ok(None)
}

pub(super) fn give_back(c: &Connection, audience: OutboxAudience, holder: u128) -> Result<()> {
    let (tenant, owner) = columns(audience);
    c.prepare_cached(include_str!("../sql/outbox/give_back.sql"))?
        .execute(params![tenant, owner, holder.to_be_bytes()])?;
    Ok(())
}

/// Returns the columns `turn_tenant` and `turn_owner`.
fn columns(audience: OutboxAudience) -> ([u8; 16], [u8; 16]) {
    let OutboxAudience { tenant, owner } = audience;
    (tenant.to_be_bytes(), owner.to_be_bytes())
}

fn ready(c: &Connection, holder: u128) -> Result<Option<OutboxAudience>> {
    let audience = c
        .prepare_cached(include_str!("../sql/outbox/ready.sql"))?
        .query_row([holder.to_be_bytes()], |row| {
            Ok(OutboxAudience {
                tenant: u128::from_be_bytes(row.get(0)?),
                owner: u128::from_be_bytes(row.get(1)?),
            })
        })
        .optional()?;
    Ok(audience)
}

fn rows(c: &Connection, audience: OutboxAudience, limit: u32, now: i64) -> Result<Vec<OutboxRow>> {
    let mut statement = c.prepare_cached(include_str!("../sql/outbox/due_of.sql"))?;
    let (tenant, owner) = columns(audience);
    let mut rows = statement.query(params![now, limit, tenant, owner])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(outbox_row(row)?);
    }
    Ok(found)
}

/// Returns the remaining tasks of the rows of an audience before this row.
pub(super) fn open(
    c: &Connection,
    audience: OutboxAudience,
    before: OutboxId,
    limit: u32,
) -> Result<Vec<OpenOutbox>> {
    let mut statement = c.prepare_cached(include_str!("../sql/outbox/open.sql"))?;
    let (tenant, owner) = columns(audience);
    let mut rows = statement.query(params![tenant, owner, before.0, limit])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(open_row(row)?);
    }
    Ok(found)
}
