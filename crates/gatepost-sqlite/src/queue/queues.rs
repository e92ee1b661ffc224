//! The search for queues that have work: one probe of an index for each queue, however many
//! deliveries wait in it.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{
    DeliveryId, DuePoint, DueQueue, FoundQueues, QueueClass, Queues, WebhookQueue,
};
use rusqlite::{Connection, params};
use webhook_model::WebhookId;

use crate::batch::webhook;
use crate::column::{micros, time_of};
use crate::deliveries::order;
use crate::error::Result;
use crate::sql::{Sql as _, value};

/// The position before every queue.
const START: (i64, i16) = (i64::MIN, i16::MAX);

/// Queues by their numbers, and the position of the next page.
type Looked = (BTreeSet<(i64, i16)>, Option<Queues>);

pub(super) fn find(
    c: &Connection,
    which: &Queues,
    limit: u32,
    now: DateTime<Utc>,
) -> Result<FoundQueues> {
    let (queues, more) = match which {
        Queues::Due(after) => due(c, *after, now, limit)?,
        Queues::Of(webhooks) => (of(webhooks), None),
        Queues::Beyond(after) => beyond(c, *after, limit)?,
    };
    let next_due: Option<i64> = c.first(sql!("queue/next_due"), [micros(now)], value)?;
    Ok(FoundQueues {
        due: claimable(c, queues, now)?,
        more,
        next_due: next_due.map(|at| time_of(at, "due")).transpose()?,
    })
}

/// Returns the queues of the deliveries that became due within a span, by a scan of at most `limit`
/// deliveries.
fn due(c: &Connection, after: DuePoint, until: DateTime<Utc>, limit: u32) -> Result<Looked> {
    let from = micros(after.due);
    let mut queues = BTreeSet::new();
    let mut last = None;
    let (mut room, until_micros) = (i64::from(limit), micros(until));
    // First the deliveries with the same due time, then later ones: each is a range of the index.
    let same = sql!("queue/due_then");
    let later = sql!("queue/due_after");
    for (sql, bounds) in [
        (same, [from, after.delivery.0]),
        (later, [from, until_micros]),
    ] {
        if room == 0 || from > until_micros {
            break;
        }
        let mut find = c.prepare_cached(sql)?;
        let mut rows = find.query(params![bounds[0], bounds[1], room])?;
        while let Some(row) = rows.next()? {
            let (id, due): (i64, i64) = (row.get(0)?, row.get(1)?);
            queues.insert((row.get::<_, i64>(2)?, row.get::<_, i16>(3)?));
            last = Some((due, id));
            room -= 1;
        }
    }
    let more = last
        .filter(|_| room == 0)
        .map(|(due, id)| -> Result<Queues> {
            Ok(Queues::Due(DuePoint {
                due: time_of(due, "due")?,
                delivery: DeliveryId(id),
            }))
        });
    Ok((queues, more.transpose()?))
}

fn of(webhooks: &[WebhookId]) -> BTreeSet<(i64, i16)> {
    let queues = webhooks
        .iter()
        .flat_map(|webhook| QueueClass::ALL.map(|class| (webhook.0, class.number())));
    queues.collect()
}

/// Returns at most `limit` queues in which something waits, due or not.
fn beyond(c: &Connection, after: Option<WebhookQueue>, limit: u32) -> Result<Looked> {
    let mut at = after.map_or(START, |queue| (queue.webhook.0, queue.class.number()));
    let mut queues = BTreeSet::new();
    while queues.len() < limit as usize
        && let Some(next) = next_queue(c, at)?
    {
        at = next;
        queues.insert(next);
    }
    let full = queues.len() >= limit as usize;
    let last = WebhookQueue {
        webhook: WebhookId(at.0),
        class: QueueClass::from_number(at.1),
    };
    Ok((queues, full.then_some(Queues::Beyond(Some(last)))))
}

/// Returns the oldest due time of all deliveries that may be claimed when they are due.
pub(crate) fn oldest_due(c: &Connection) -> Result<Option<DateTime<Utc>>> {
    let (mut at, mut oldest) = (START, None::<i64>);
    while let Some(next) = next_queue(c, at)? {
        at = next;
        let Some(webhook) = webhook(c, next.0)?.filter(|webhook| webhook.sends) else {
            at = (next.0, i16::MAX);
            continue;
        };
        let head = first_due(c, webhook.id, next.1)?;
        oldest = oldest.into_iter().chain(head).min();
    }
    oldest.map(|at| time_of(at, "due")).transpose()
}

/// Returns the queues that have something claimable.
fn claimable(
    c: &Connection,
    queues: BTreeSet<(i64, i16)>,
    now: DateTime<Utc>,
) -> Result<Vec<DueQueue>> {
    let mut found = Vec::new();
    let mut sender = None;
    for (id, class) in queues {
        let known = match sender {
            Some((known, webhook)) if known == id => webhook,
            _ => webhook(c, id)?.filter(|webhook| webhook.sends),
        };
        sender = Some((id, known));
        let Some(webhook) = known else { continue };
        let due = if webhook.in_order {
            let head = order::head(c, &webhook)?;
            head.filter(|head| head.class == class).map(|head| head.due)
        } else {
            first_due(c, id, class)?
        };
        if let Some(due) = due.filter(|due| *due <= micros(now)) {
            found.push(DueQueue {
                queue: WebhookQueue {
                    webhook: WebhookId(id),
                    class: QueueClass::from_number(class),
                },
                due: time_of(due, "due")?,
                owner: webhook.owner,
                realm: webhook.place,
                revision: webhook.revision,
            });
        }
    }
    Ok(found)
}

fn first_due(c: &Connection, webhook: i64, class: i16) -> Result<Option<i64>> {
    c.first(sql!("queue/first_due"), params![webhook, class], value)
}

fn next_queue(c: &Connection, (webhook, class): (i64, i16)) -> Result<Option<(i64, i16)>> {
    c.first(sql!("queue/next_queue"), params![webhook, class], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })
}
