//! Enqueues.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use gatepost_storage::ErrorKind;
use gatepost_storage::webhooks::{
    ClaimToken, DeliveryId, Enqueue, Enqueued, NewDelivery, Origin, OutboxId, StoredDelivery,
};
use rusqlite::{Connection, OptionalExtension as _, params};
use webhook_model::OccurrenceId;

use crate::column::micros;
use crate::error::{Failure, Result};
use crate::routes::{routes_changed, version};

pub(super) fn enqueue(c: &Connection, batch: &Enqueue, now: DateTime<Utc>) -> Result<Enqueued> {
    if used(c, &batch.origin)? {
        return Ok(Enqueued::AlreadyKnown);
    }
    let present = version(c)?;
    if batch.routes.is_some_and(|routes| routes != present) || !all_known(c, batch)? {
        return Ok(Enqueued::RoutesChanged);
    }
    match &batch.origin {
        Origin::Direct => {}
        Origin::Occurrence(id) => note(c, id, now)?,
        Origin::Outbox { row, occurrence } => {
            use_up(c, *row)?;
            if let Some(id) = occurrence {
                note(c, id, now)?;
            }
        }
    }
    let deliveries = batch
        .deliveries
        .iter()
        .map(|new| insert(c, new, now))
        .collect::<Result<_>>()?;
    let mut routes = present;
    if !batch.consume.is_empty() {
        for task in &batch.consume {
            c.prepare_cached("DELETE FROM gatepost_task WHERE id = ?1")?
                .execute([task.0])?;
        }
        routes_changed(c)?;
        routes = version(c)?;
    }
    Ok(Enqueued::Stored { deliveries, routes })
}

/// Whether the origin was used before. This consumes a row of the outbox whose occurrence is known.
fn used(c: &Connection, origin: &Origin) -> Result<bool> {
    Ok(match origin {
        Origin::Direct => false,
        Origin::Occurrence(id) => is_known(c, id)?,
        Origin::Outbox { row, occurrence } => {
            let waits = c
                .prepare_cached(
                    "SELECT 1 FROM gatepost_occurrence WHERE id = ?1 AND rejected IS NULL",
                )?
                .exists([row.0])?;
            let known = match occurrence {
                Some(id) => waits && is_known(c, id)?,
                None => false,
            };
            if known {
                use_up(c, *row)?;
            }
            known || !waits
        }
    })
}

fn is_known(c: &Connection, id: &OccurrenceId) -> Result<bool> {
    let known = c
        .prepare_cached("SELECT 1 FROM gatepost_seen WHERE id = ?1")?
        .exists([id.as_str()])?;
    Ok(known)
}

fn note(c: &Connection, id: &OccurrenceId, now: DateTime<Utc>) -> Result<()> {
    c.prepare_cached("INSERT INTO gatepost_seen (id, stored) VALUES (?1, ?2)")?
        .execute(params![id.as_str(), micros(now)])?;
    Ok(())
}

fn use_up(c: &Connection, row: OutboxId) -> Result<()> {
    c.prepare_cached("DELETE FROM gatepost_occurrence WHERE id = ?1")?
        .execute([row.0])?;
    Ok(())
}

/// Whether every task that is to be consumed is still there.
fn all_known(c: &Connection, batch: &Enqueue) -> Result<bool> {
    let tasks: HashSet<i64> = batch.consume.iter().map(|t| t.0).collect();
    for task in tasks {
        if !c
            .prepare_cached("SELECT 1 FROM gatepost_task WHERE id = ?1")?
            .exists([task])?
        {
            return Ok(false);
        }
    }
    Ok(true)
}

fn insert(c: &Connection, new: &NewDelivery, now: DateTime<Utc>) -> Result<StoredDelivery> {
    let in_order: Option<bool> = c
        .prepare_cached("SELECT in_order FROM gatepost_webhook WHERE id = ?1")?
        .query_row([new.webhook.0], |row| row.get(0))
        .optional()?;
    let in_order = in_order
        .ok_or_else(|| Failure::new(ErrorKind::Invalid, "the delivery's webhook does not exist"))?;
    let lease = new.lease_until.map(micros);
    let inserted = c
        .prepare_cached(include_str!("../sql/queue/insert.sql"))?
        .insert(params![
            new.message_id.as_str(),
            new.webhook.0,
            new.task.map(|t| t.0),
            &*new.body,
            in_order,
            micros(now),
            micros(new.due),
            lease,
        ]);
    let id = inserted.map_err(|error| match error.sqlite_error() {
        Some(e) if e.extended_code == rusqlite::ffi::SQLITE_CONSTRAINT_UNIQUE => {
            Failure::new(ErrorKind::Conflict, "a delivery with that message id")
        }
        _ => error.into(),
    })?;
    Ok(StoredDelivery {
        id: DeliveryId(id),
        token: lease.map(|_| ClaimToken(1)),
    })
}
