//! Which lanes have work: one probe of an index for each lane, however many deliveries wait in it.

use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, Place};
use gatepost_storage::Revision;
use gatepost_storage::columns::{class_number, class_of};
use gatepost_storage::webhooks::{DueLane, Lane};
use rusqlite::{Connection, OptionalExtension as _, params};
use webhook_model::WebhookId;

use crate::column::{micros, time_of};
use crate::error::{Failure, Result};
use crate::places::place_from;

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
        let Some(sender) = sender(c, webhook)? else {
            at = (webhook, i16::MAX);
            continue;
        };
        let due = if sender.in_order {
            head_in_order(c, webhook)?
                .filter(|head| head.class == class)
                .map(|head| head.due)
        } else {
            Some(head)
        };
        if let Some(due) = due.filter(|due| *due <= micros(now)) {
            lanes.push(DueLane {
                lane: Lane {
                    webhook: WebhookId(webhook),
                    class: class_of(class),
                },
                due: time_of(due, "due")?,
                owner: sender.owner,
                place: sender.place,
                revision: sender.revision,
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
        if sender(c, webhook)?.is_none() {
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

/// A webhook whose deliveries may be claimed, and what is to be known of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sender {
    pub(super) owner: OwnerId,
    pub(super) place: Place,
    pub(super) revision: Revision,
    pub(super) in_order: bool,
}

/// `None` when nothing of this webhook may be claimed.
pub(super) fn sender(c: &Connection, webhook: i64) -> Result<Option<Sender>> {
    let mut statement = c.prepare_cached(include_str!("../sql/queue/sender.sql"))?;
    let mut rows = statement.query([webhook])?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    let place = row.get_ref("place")?;
    let place = place.as_str().map_err(|e| Failure::corrupt("place", e))?;
    Ok(Some(Sender {
        owner: OwnerId(row.get("owner")?),
        place: place_from(place)?,
        revision: Revision(row.get("revision")?),
        in_order: row.get("in_order")?,
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
