//! New deliveries.

use chrono::{DateTime, Utc};
use gatepost_ids::TenantId;
use gatepost_storage::ErrorKind;
use gatepost_storage::webhooks::{ClaimToken, DeliveryId, NewDelivery, StoredDelivery};
use rusqlite::{Connection, params};

use crate::batch::{Batch, Member, Webhook, insert_running};
use crate::column::micros;
use crate::deliveries::{DELIVERY_BYTES, waiting};
use crate::error::{Failure, Result};

/// Returns the webhooks of these deliveries, which are looked up before anything is written.
pub(super) fn receivers(
    c: &Connection,
    batch: &mut Batch,
    deliveries: &[NewDelivery],
) -> Result<Vec<Webhook>> {
    let receiver = |new: &NewDelivery| {
        batch.webhook(c, new.webhook.0)?.ok_or_else(|| {
            Failure::new(ErrorKind::Invalid, "the delivery's webhook does not exist")
        })
    };
    deliveries.iter().map(receiver).collect()
}

pub(super) fn all(
    c: &Connection,
    batch: &mut Batch,
    deliveries: &[NewDelivery],
    receivers: &[Webhook],
    now: DateTime<Utc>,
) -> Result<Vec<StoredDelivery>> {
    let with_receivers = deliveries.iter().zip(receivers);
    with_receivers
        .map(|(new, receiver)| insert(c, batch, new, receiver, micros(now)))
        .collect()
}

fn insert(
    c: &Connection,
    batch: &mut Batch,
    new: &NewDelivery,
    receiver: &Webhook,
    now: i64,
) -> Result<StoredDelivery> {
    let member = Member {
        delivery: batch.next_delivery(c)?,
        webhook: receiver.id,
        due: micros(new.due),
        attempts: 0,
        tries: 0,
        lost: 0,
        class: 0,
    };
    c.prepare_cached(sql!("queue/insert"))?.execute(params![
        member.delivery,
        member.webhook,
        new.task.map(|t| t.0),
        receiver.place.tenant().map(TenantId::to_bytes),
        now,
        new.message_id.as_str(),
        &*new.body,
        new.cause.as_ref().map(ToString::to_string),
    ])?;
    let length = i64::try_from(new.body.len()).unwrap_or(i64::MAX);
    batch.grown(length.saturating_add(DELIVERY_BYTES));
    let token = match new.lease_until.map(micros) {
        None => {
            waiting::insert(c, member)?;
            batch.arrived();
            None
        }
        // A delivery in order has a separate token, so that nothing else of its webhook runs.
        Some(until) if receiver.in_order => {
            let token = batch.next_token(c)?;
            insert_running(c, token, until, Some(receiver.id), &mut [member])?;
            Some(token)
        }
        Some(until) => Some(batch.lease(c, member, until)?),
    };
    Ok(StoredDelivery {
        id: DeliveryId(member.delivery),
        token: token.map(ClaimToken),
    })
}
