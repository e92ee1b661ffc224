//! Deliveries that end without an attempt, and their removal from the log.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::HourlyCount;
use rusqlite::{Connection, params};
use webhook_model::WebhookId;

use super::outcome::{self, Outcome, State};
use super::waiting;
use crate::batch::ended;
use crate::column::micros;
use crate::error::Result;
use crate::sql::{Sql as _, value};

/// The approximate size of a delivery in the log without its message: the row and its index
/// entries.
pub(crate) const DELIVERY_BYTES: i64 = 200;

/// Ends a delivery if it waits.
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
    ended(c, delivery)?;
    Ok(true)
}

/// Counts a delivery of this webhook that has ended without an attempt.
pub(crate) fn count_failed(c: &Connection, webhook: i64, now: DateTime<Utc>) -> Result<()> {
    let count = HourlyCount::failed(WebhookId(webhook), now);
    let failed = params![webhook, micros(count.hour), 0, 1, 0, 0, 0, None::<i64>];
    c.run(sql!("log/add_counts"), failed)
}

/// Removes a delivery and its outcomes from the log; returns the approximate number of freed bytes.
pub(crate) fn remove(c: &Connection, delivery: i64) -> Result<i64> {
    let sql = sql!("log/bytes_of_outcomes");
    let outcomes: i64 = c.one(sql, params![delivery, outcome::bytes(None)], value)?;
    let sql = "DELETE FROM gatepost_outcome WHERE delivery = ?1";
    c.run(sql, [delivery])?;
    Ok(outcomes + remove_facts(c, delivery)?.unwrap_or(0))
}

/// Removes the delivery's row and its index entries for lists; returns the approximate number of
/// freed bytes.
pub(crate) fn remove_facts(c: &Connection, delivery: i64) -> Result<Option<i64>> {
    type Facts = (i64, i64, Option<i64>, Option<Vec<u8>>);
    let facts: Option<Facts> = c.first(sql!("log/remove_delivery"), [delivery], |row| {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
    })?;
    let Some((body, webhook, task, tenant)) = facts else {
        return Ok(None);
    };
    c.run(sql!("log/unlist_webhook"), [webhook, delivery])?;
    if let Some(task) = task {
        c.run(sql!("log/unlist_task"), [task, delivery])?;
    }
    if let Some(tenant) = tenant {
        c.run(sql!("log/unlist_tenant"), params![tenant, delivery])?;
    }
    Ok(Some(body + DELIVERY_BYTES))
}

/// Subtracts freed bytes from the size of the log.
pub(crate) fn shrunk(c: &Connection, bytes: i64) -> Result<()> {
    let sql = "UPDATE gatepost_log SET bytes = max(0, bytes - ?1)";
    c.run(sql, [bytes])
}
