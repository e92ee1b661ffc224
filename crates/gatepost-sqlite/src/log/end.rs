//! Deliveries that end without an attempt, and such as are deleted.

use gatepost_storage::webhooks::DeliveryId;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::look::Look;
use super::outcome::{self, Outcome, State};
use crate::batch::{ended, forget_claims, next_token, webhook};
use crate::error::{Failure, Result};
use crate::queue::waiting;

/// Ends a delivery, if it waits.
pub(crate) fn end_waiting(c: &Connection, delivery: i64, reason: &str, token: i64) -> Result<bool> {
    let Some(after) = waiting::take(c, delivery)? else {
        return Ok(false);
    };
    let end = Outcome {
        after,
        token,
        state: State::Error,
        status_info: reason,
        attempt: None,
    };
    outcome::insert(c, &end)?;
    ended(c, delivery, after.webhook)?;
    Ok(true)
}

pub(super) fn cancel(c: &Connection, ids: &[DeliveryId], reason: &str) -> Result<u64> {
    let token = next_token(c)?;
    let mut count = 0;
    for id in ids {
        let waits = waiting::get(c, id.0)?;
        if let Some(waits) = waits
            && webhook(c, waits.webhook)?.is_some()
        {
            count += u64::from(end_waiting(c, id.0, reason, token)?);
        }
    }
    Ok(count)
}

pub(super) fn delete(c: &Connection, id: DeliveryId) -> Result<()> {
    let look = Look::new(c)?;
    if look.find(id.0)?.is_none() {
        return Err(Failure::not_found("delivery"));
    }
    waiting::remove(c, id.0)?;
    forget_claims(c, |member| member.delivery == id.0)?;
    let bytes = remove(c, id.0)?;
    shrunk(c, bytes)
}

/// Removes a delivery and its outcomes from the log; how many bytes that makes free, about.
pub(super) fn remove(c: &Connection, delivery: i64) -> Result<i64> {
    let outcomes: i64 = c
        .prepare_cached(include_str!("../sql/log/bytes_of_outcomes.sql"))?
        .query_row(params![delivery, outcome::bytes(None)], |row| row.get(0))?;
    c.prepare_cached("DELETE FROM gatepost_outcome WHERE delivery = ?1")?
        .execute([delivery])?;
    let body: Option<i64> = c
        .prepare_cached(include_str!("../sql/log/remove_delivery.sql"))?
        .query_row([delivery], |row| row.get(0))
        .optional()?;
    let own = body.map_or(0, |body| body + crate::queue::enqueue::DELIVERY_BYTES);
    Ok(outcomes + own)
}

/// The log takes less.
pub(crate) fn shrunk(c: &Connection, bytes: i64) -> Result<()> {
    c.prepare_cached("UPDATE gatepost_log SET bytes = max(0, bytes - ?1)")?
        .execute([bytes])?;
    Ok(())
}
