//! New deliveries.

use chrono::{DateTime, Utc};
use gatepost_ids::TenantId;
use gatepost_storage::ErrorKind;
use gatepost_storage::webhooks::{DeliveryId, NewDelivery, StoredDelivery};
use rusqlite::{Connection, params};
use webhook_model::WebhookId;

use super::super::token::token;
use crate::column::micros;
use crate::error::{Failure, Result};
use crate::places::place_from;

/// What a delivery takes over of its webhook.
#[derive(Clone, Copy, Debug)]
struct Receiver {
    webhook: WebhookId,
    in_order: bool,
    tenant: Option<TenantId>,
}

pub(super) fn all(
    c: &Connection,
    deliveries: &[NewDelivery],
    now: DateTime<Utc>,
) -> Result<Vec<StoredDelivery>> {
    let receivers = receivers(c, deliveries)?;
    deliveries
        .iter()
        .zip(receivers)
        .map(|(new, receiver)| insert(c, new, receiver, now))
        .collect()
}

/// Looked up before anything is written; once for deliveries to one webhook in a row.
fn receivers(c: &Connection, deliveries: &[NewDelivery]) -> Result<Vec<Receiver>> {
    let mut receivers: Vec<Receiver> = Vec::with_capacity(deliveries.len());
    for new in deliveries {
        let next = match receivers.last() {
            Some(last) if last.webhook == new.webhook => *last,
            _ => receiver(c, new.webhook)?,
        };
        receivers.push(next);
    }
    Ok(receivers)
}

fn receiver(c: &Connection, webhook: WebhookId) -> Result<Receiver> {
    let sql = "SELECT in_order, place FROM gatepost_live_webhook WHERE id = ?1";
    let mut statement = c.prepare_cached(sql)?;
    let mut rows = statement.query([webhook.0])?;
    let Some(row) = rows.next()? else {
        return Err(Failure::new(
            ErrorKind::Invalid,
            "the delivery's webhook does not exist",
        ));
    };
    let place = row.get_ref(1)?;
    let place = place.as_str().map_err(|e| Failure::corrupt("place", e))?;
    Ok(Receiver {
        webhook,
        in_order: row.get(0)?,
        tenant: place_from(place)?.tenant(),
    })
}

fn insert(
    c: &Connection,
    new: &NewDelivery,
    receiver: Receiver,
    now: DateTime<Utc>,
) -> Result<StoredDelivery> {
    let lease = new.lease_until.map(micros);
    let inserted = c
        .prepare_cached(include_str!("../../sql/queue/insert.sql"))?
        .insert(params![
            new.message_id.as_str(),
            new.webhook.0,
            new.task.map(|t| t.0),
            &*new.body,
            receiver.in_order,
            micros(now),
            micros(new.due),
            lease,
            receiver.tenant.map(|t| t.0),
        ]);
    let id = inserted.map_err(|error| match error.sqlite_error() {
        Some(e) if e.extended_code == rusqlite::ffi::SQLITE_CONSTRAINT_UNIQUE => {
            Failure::new(ErrorKind::Conflict, "a delivery with that message id")
        }
        _ => error.into(),
    })?;
    Ok(StoredDelivery {
        id: DeliveryId(id),
        token: lease.map(|_| token(DeliveryId(id), 1)),
    })
}
