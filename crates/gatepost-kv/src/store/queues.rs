//! The search for queues that have deliveries to send.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{
    DeliveryId, DuePoint, DueQueue, FoundQueues, QueueClass, Queues, WebhookQueue,
};

use super::claims::sending;
use super::deliveries::{self, queue_key};
use super::error::{Outcome, Stop, damaged};
use super::key::{Key, Parts};
use super::tables::{DUE, QUEUED};
use super::tx::{each, keys_in};
use crate::contract::View;
use crate::key_range::{Go, KeyRange};

/// Queues, and the position of the next page.
type Looked = (BTreeSet<WebhookQueue>, Option<Queues>);

pub(super) fn find(
    view: &dyn View,
    which: &Queues,
    limit: u32,
    now: DateTime<Utc>,
) -> Outcome<FoundQueues> {
    let (queues, more) = match which {
        Queues::Due(after) => became_due(view, *after, limit as usize, now)?,
        Queues::Of(webhooks) => {
            let of = |webhook| QueueClass::ALL.map(|class| WebhookQueue { webhook, class });
            (webhooks.iter().copied().flat_map(of).collect(), None)
        }
        Queues::Beyond(after) => beyond(view, *after, limit as usize)?,
    };
    let mut due = Vec::new();
    for queue in queues {
        due.extend(due_queue(view, queue, now)?);
    }
    Ok(FoundQueues {
        due,
        more,
        next_due: next_due(view, now)?,
    })
}

/// Returns the queue of a key in [`QUEUED`], or of a value in [`DUE`].
pub(super) fn queue_in(key: &[u8]) -> Outcome<WebhookQueue> {
    let mut parts = Parts::of(key);
    let (webhook, class) = (parts.number()?, parts.byte()?);
    let class = QueueClass::ALL.get(usize::from(class)).copied();
    Ok(WebhookQueue {
        webhook,
        class: class.ok_or_else(|| damaged(QUEUED.name))?,
    })
}

/// Returns the queue, if something may be claimed from it at this time.
fn due_queue(
    view: &dyn View,
    queue: WebhookQueue,
    now: DateTime<Utc>,
) -> Outcome<Option<DueQueue>> {
    let Some(sending) = sending(view, queue.webhook)? else {
        return Ok(None);
    };
    let Some(head) = sending.claimable(view, queue, 1, now)?.pop() else {
        return Ok(None);
    };
    let due = match deliveries::get(view, head) {
        Ok(Some(head)) => head.row.delivery.due,
        Ok(None) => return Ok(None),
        Err(Stop::Refused(_)) => now,
        Err(stop) => return Err(stop),
    };
    Ok(Some(DueQueue {
        queue,
        due,
        owner: sending.owner,
        realm: sending.place,
        revision: sending.revision,
    }))
}

/// Returns the queues of the deliveries that became due after a point.
fn became_due(
    view: &dyn View,
    after: DuePoint,
    limit: usize,
    now: DateTime<Utc>,
) -> Outcome<Looked> {
    let (start, end) = (point_key(after), point_key(at_end(now)));
    let range = KeyRange::between([], end).after(start.bytes());
    let (mut queues, mut looked_at, mut last) = (BTreeSet::new(), 0, None);
    if limit > 0 {
        each(view, DUE, &range, |key, queue| {
            queues.insert(queue_in(queue)?);
            last = Some(key.to_vec());
            looked_at += 1;
            Ok(if looked_at < limit { Go::On } else { Go::Stop })
        })?;
    }
    let last = last.filter(|_| looked_at == limit);
    let more = last.map(|key| point_in(&key)).transpose()?;
    Ok((queues, more.map(Queues::Due)))
}

/// Returns at most `limit` queues in which something waits.
fn beyond(view: &dyn View, after: Option<WebhookQueue>, limit: usize) -> Outcome<Looked> {
    let (mut queues, mut last) = (BTreeSet::new(), after);
    while queues.len() < limit
        && let Some(next) = next_queue(view, last)?
    {
        queues.insert(next);
        last = Some(next);
    }
    let more = next_queue(view, last)?.map(|_| Queues::Beyond(last));
    Ok((queues, more))
}

/// Returns the first queue beyond this one in which something waits.
pub(super) fn next_queue(
    view: &dyn View,
    after: Option<WebhookQueue>,
) -> Outcome<Option<WebhookQueue>> {
    let end = |queue| KeyRange::prefix(queue_key(queue)).to.unwrap_or_default();
    let range = KeyRange::since(after.map_or_else(Vec::new, end));
    let next = keys_in(view, QUEUED, &range, 1)?.pop();
    next.map(|key| queue_in(&key)).transpose()
}

/// Returns the first due time after this time.
fn next_due(view: &dyn View, now: DateTime<Utc>) -> Outcome<Option<DateTime<Utc>>> {
    let range = KeyRange::since(point_key(at_end(now)));
    let next = keys_in(view, DUE, &range, 1)?.pop();
    next.map(|key| Ok(point_in(&key)?.due)).transpose()
}

/// Returns the point behind all deliveries that are due at a time.
fn at_end(due: DateTime<Utc>) -> DuePoint {
    DuePoint {
        due,
        delivery: DeliveryId(i64::MAX),
    }
}

fn point_key(point: DuePoint) -> Key {
    Key::new().time(point.due).number(point.delivery.0)
}

fn point_in(key: &[u8]) -> Outcome<DuePoint> {
    let mut parts = Parts::of(key);
    let due = parts.time();
    Ok(DuePoint {
        due: due.map_err(|_| damaged(DUE.name))?,
        delivery: DeliveryId(parts.number()?),
    })
}
