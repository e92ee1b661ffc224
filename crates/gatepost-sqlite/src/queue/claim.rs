//! Claims.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{ClaimToken, Claimed, EndReason, QueueClaim};
use gatepost_storage::{ErrorKind, StoreError};
use rusqlite::Connection;

use crate::batch::{Batch, Member, Webhook, insert_running};
use crate::column::micros;
use crate::deliveries::outcome::{self, Outcome, State};
use crate::deliveries::{order, row, waiting};
use crate::error::{Failure, Result};

pub(super) fn claim(
    c: &Connection,
    batch: &mut Batch,
    queues: &[QueueClaim],
    lease_until: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<Vec<Claimed>> {
    // Anything that may fail comes before the first row is written.
    let senders = queues
        .iter()
        .map(|queue| batch.webhook(c, queue.queue.webhook.0));
    let senders = senders.collect::<Result<Vec<_>>>()?;
    let mut claimed = Vec::new();
    for (queue, sender) in queues.iter().zip(senders) {
        let Some(sender) = sender.filter(|webhook| webhook.sends) else {
            continue;
        };
        for member in claimable(c, batch, queue, &sender, micros(now))? {
            waiting::remove(c, member.delivery)?;
            match row::claimed(c, member, &sender, lease_until) {
                Ok(delivery) => claimed.push(Claimed {
                    delivery,
                    token: lease(c, batch, member, &sender, micros(lease_until))?,
                    class: queue.queue.class,
                    revision: sender.revision,
                }),
                Err(failure) => end_unreadable(c, batch, member, failure)?,
            }
        }
    }
    Ok(claimed)
}

fn claimable(
    c: &Connection,
    batch: &mut Batch,
    claim: &QueueClaim,
    sender: &Webhook,
    now: i64,
) -> Result<Vec<Member>> {
    let class = claim.queue.class.number();
    if !sender.in_order {
        return waiting::due_in_queue(c, sender.id, class, now, claim.limit);
    }
    // A delivery that was settled in this commit no longer runs.
    batch.flush(c)?;
    let head = order::head(c, sender)?;
    Ok(head
        .filter(|head| head.class == class && head.due <= now && claim.limit > 0)
        .into_iter()
        .collect())
}

fn lease(
    c: &Connection,
    batch: &mut Batch,
    member: Member,
    sender: &Webhook,
    until: i64,
) -> Result<ClaimToken> {
    if !sender.in_order {
        return Ok(ClaimToken(batch.lease(c, member, until)?));
    }
    let token = batch.next_token(c)?;
    insert_running(c, token, until, Some(sender.id), &mut [member])?;
    Ok(ClaimToken(token))
}

/// Ends a delivery only if a value cannot be parsed; an error of the disk fails the whole commit.
fn end_unreadable(
    c: &Connection,
    batch: &mut Batch,
    member: Member,
    failure: Failure,
) -> Result<()> {
    if failure.kind() != ErrorKind::Corrupt {
        return Err(failure);
    }
    let error = StoreError::from(failure);
    let delivery = member.delivery;
    tracing::error!(delivery, %error, "a delivery cannot be read and ends");
    let info = EndReason::unreadable(&error.reason());
    let token = batch.next_token(c)?;
    let ended = Outcome {
        after: member,
        token,
        state: State::Error,
        status_info: &info,
        attempt: None,
    };
    outcome::insert(c, &ended)?;
    batch.ended(c, delivery)
}
