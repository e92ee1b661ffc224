//! The usage of the queue and the log by owner: an estimate.

use gatepost_ids::OwnerId;
use gatepost_storage::webhooks::{DeliveryQuery, LogUsage, UsageDelta};
use gatepost_storage::{Page, Scope};
use rusqlite::{Connection, Row, params};

use super::list;
use super::snapshot::Look;
use crate::column::number;
use crate::error::Result;
use crate::named::Named;
use crate::records::usage::stored;
use crate::sql::Sql as _;

pub(super) fn add(c: &Connection, deltas: &[UsageDelta]) -> Result<()> {
    let mut add = c.prepare_cached(sql!("log/add_usage"))?;
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
    let usage = c.first(sql, [owner.to_bytes()], usage)?;
    Ok(usage.unwrap_or_default())
}

/// The usage of an owner.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counted {
    pub(super) usage: LogUsage,
    /// The newest ended delivery beyond the owner's share; 0 if there is none.
    hidden_to: i64,
}

/// Counts all visible deliveries of the owner. They are read again, from the oldest on, if some are
/// beyond the share.
pub(super) fn count(c: &Connection, owner: OwnerId, share: u64) -> Result<Counted> {
    let query = DeliveryQuery {
        scope: Scope::Owner(owner),
        ..DeliveryQuery::all(Page::first(u32::MAX))
    };
    let look = Look::new(c)?;
    let (mut counted, mut ended) = (Counted::default(), 0);
    let usage = &mut counted.usage;
    list::walk(&look, &query, |found| {
        let (body, responses) = bytes_of(c, found.key.id)?;
        usage.log_bytes += body + responses;
        if found.state().is_final() {
            ended += body + responses;
        } else {
            usage.waiting += 1;
            usage.waiting_bytes += body;
        }
        Ok(true)
    })?;
    if ended <= share {
        return Ok(counted);
    }
    list::walk(&look, &query, |found| {
        if found.state().is_final() {
            let (body, responses) = bytes_of(c, found.key.id)?;
            usage.log_bytes -= body + responses;
            ended -= body + responses;
            counted.hidden_to = found.key.id;
        }
        Ok(ended > share)
    })?;
    Ok(counted)
}

/// Returns the bytes of the message, and of the responses to its attempts.
fn bytes_of(c: &Connection, delivery: i64) -> Result<(u64, u64)> {
    c.one(sql!("log/bytes_of"), [delivery], |row| {
        let row = Named::of(row);
        Ok((number(&row, "body")?, number(&row, "responses")?))
    })
}

pub(super) fn set(c: &Connection, owner: OwnerId, counted: Counted) -> Result<()> {
    let usage = counted.usage;
    c.prepare_cached(sql!("log/set_usage"))?.execute(params![
        owner.to_bytes(),
        stored(usage.waiting),
        stored(usage.waiting_bytes),
        stored(usage.log_bytes),
        counted.hidden_to
    ])?;
    Ok(())
}

fn usage(row: &Row<'_>) -> Result<LogUsage> {
    let row = &Named::of(row);
    Ok(LogUsage {
        waiting: number(row, "waiting")?,
        waiting_bytes: number(row, "waiting_bytes")?,
        log_bytes: number(row, "log_bytes")?,
    })
}
