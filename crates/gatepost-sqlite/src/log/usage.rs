//! How much of the queue and the log each owner uses: an estimate.

use gatepost_ids::OwnerId;
use gatepost_storage::webhooks::{DeliveryQuery, LogUsage, UsageDelta};
use gatepost_storage::{Page, Scope};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::list::{self, Taken};
use super::look::Look;
use crate::column::number;
use crate::error::Result;
use crate::named::Named;

pub(super) fn add(c: &Connection, deltas: &[UsageDelta]) -> Result<()> {
    let mut add = c.prepare_cached(include_str!("../sql/log/add_usage.sql"))?;
    for delta in deltas {
        add.execute(params![
            delta.owner.to_bytes(),
            delta.waiting,
            delta.waiting_bytes,
            delta.log_bytes
        ])?;
    }
    Ok(())
}

pub(super) fn of(c: &Connection, owner: OwnerId) -> Result<LogUsage> {
    let sql = "SELECT waiting, waiting_bytes, log_bytes FROM gatepost_owner WHERE owner = ?1";
    let usage = c
        .prepare_cached(sql)?
        .query_row([owner.to_bytes()], |row| Ok(usage(row)))
        .optional()?
        .transpose()?;
    Ok(usage.unwrap_or_default())
}

/// All that is shown of the owner's deliveries.
pub(super) fn count(c: &Connection, owner: OwnerId) -> Result<LogUsage> {
    let query = DeliveryQuery {
        scope: Scope::Owner(owner),
        ..DeliveryQuery::all(Page::first(u32::MAX))
    };
    let mut usage = LogUsage::default();
    let mut bytes = c.prepare_cached(include_str!("../sql/log/bytes_of.sql"))?;
    list::walk(&Look::new(c)?, &query, |found| {
        let (body, responses) = bytes.query_row([found.key.id], |row| {
            let row = Named::of(row);
            Ok((
                number::<u64>(&row, "body"),
                number::<u64>(&row, "responses"),
            ))
        })?;
        let (body, responses) = (body?, responses?);
        usage.log_bytes += body + responses;
        if !found.state().is_final() {
            usage.waiting += 1;
            usage.waiting_bytes += body;
        }
        Ok(Taken::Yes)
    })?;
    Ok(usage)
}

pub(super) fn set(c: &Connection, owner: OwnerId, usage: LogUsage) -> Result<()> {
    c.prepare_cached(include_str!("../sql/log/set_usage.sql"))?
        .execute(params![
            owner.to_bytes(),
            stored(usage.waiting),
            stored(usage.waiting_bytes),
            stored(usage.log_bytes)
        ])?;
    Ok(())
}

fn stored(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn usage(row: &Row<'_>) -> Result<LogUsage> {
    let row = &Named::of(row);
    Ok(LogUsage {
        waiting: number(row, "waiting")?,
        waiting_bytes: number(row, "waiting_bytes")?,
        log_bytes: number(row, "log_bytes")?,
    })
}
