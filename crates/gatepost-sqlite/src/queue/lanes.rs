//! Which lanes have work: one probe of an index for each lane, however many deliveries wait in it.

use chrono::{DateTime, Utc};
use gatepost_storage::columns::{class_number, class_of};
use gatepost_storage::webhooks::{DueLane, Lane};
use rusqlite::{Connection, OptionalExtension as _, params};
use webhook_model::WebhookId;

use crate::column::{micros, time_of};
use crate::error::Result;

/// Before every lane.
const START: (i64, i16) = (i64::MIN, i16::MAX);

pub(super) fn due(
    c: &Connection,
    after: Option<Lane>,
    limit: usize,
    now: DateTime<Utc>,
) -> Result<Vec<DueLane>> {
    let mut at = after.map_or(START, |lane| (lane.webhook.0, class_number(lane.class)));
    let mut lanes = Vec::new();
    while lanes.len() < limit
        && let Some((webhook, class, head)) = next_lane(c, at)?
    {
        at = (webhook, class);
        let due = match order_of(c, webhook)? {
            None => {
                at = (webhook, i16::MAX);
                continue;
            }
            Some(Order::Free) => Some(head),
            Some(Order::InOrder) => head_in_order(c, webhook)?
                .filter(|head| head.class == class)
                .map(|head| head.due),
        };
        if let Some(due) = due.filter(|due| *due <= micros(now)) {
            lanes.push(DueLane {
                lane: Lane {
                    webhook: WebhookId(webhook),
                    class: class_of(class),
                },
                due: time_of(due, "due")?,
            });
        }
    }
    Ok(lanes)
}

pub(super) fn next_due(c: &Connection, now: DateTime<Utc>) -> Result<Option<DateTime<Utc>>> {
    let mut at = START;
    let mut earliest: Option<i64> = None;
    while let Some((webhook, class, _)) = next_lane(c, at)? {
        at = (webhook, class);
        if order_of(c, webhook)?.is_none() {
            at = (webhook, i16::MAX);
            continue;
        }
        let due: Option<i64> = c
            .prepare_cached(include_str!("../sql/queue/next_due.sql"))?
            .query_row(params![webhook, class, micros(now)], |row| row.get(0))
            .optional()?;
        earliest = earliest.into_iter().chain(due).min();
    }
    earliest.map(|at| time_of(at, "due")).transpose()
}

/// How deliveries of an active webhook may be claimed.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(super) enum Order {
    Free,
    InOrder,
}

/// `None` when the webhook is not active.
pub(super) fn order_of(c: &Connection, webhook: i64) -> Result<Option<Order>> {
    let sql = "SELECT in_order FROM gatepost_webhook WHERE id = ?1 AND activity = 'active'";
    let in_order: Option<bool> = c
        .prepare_cached(sql)?
        .query_row([webhook], |row| row.get(0))
        .optional()?;
    Ok(in_order.map(|in_order| {
        if in_order {
            Order::InOrder
        } else {
            Order::Free
        }
    }))
}

/// The one delivery of a webhook in order that may be claimed once it is due.
pub(super) struct Head {
    pub(super) id: i64,
    pub(super) class: i16,
    pub(super) due: i64,
}

pub(super) fn head_in_order(c: &Connection, webhook: i64) -> Result<Option<Head>> {
    let busy = c
        .prepare_cached(include_str!("../sql/queue/any_running.sql"))?
        .exists([webhook])?;
    if busy {
        return Ok(None);
    }
    let head = c
        .prepare_cached(include_str!("../sql/queue/oldest_open.sql"))?
        .query_row([webhook], |row| {
            Ok(Head {
                id: row.get("id")?,
                class: row.get("class")?,
                due: row.get("due")?,
            })
        })
        .optional()?;
    Ok(head)
}

fn next_lane(c: &Connection, (webhook, class): (i64, i16)) -> Result<Option<(i64, i16, i64)>> {
    let next = c
        .prepare_cached(include_str!("../sql/queue/next_lane.sql"))?
        .query_row(params![webhook, class], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })
        .optional()?;
    Ok(next)
}
