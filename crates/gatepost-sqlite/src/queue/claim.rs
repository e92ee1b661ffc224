//! Claims.

use chrono::{DateTime, Utc};
use gatepost_storage::StoreError;
use gatepost_storage::columns::class_number;
use gatepost_storage::webhooks::{Claimed, DeliveryId, LaneClaim, LaneClass};
use rusqlite::{Connection, params};

use super::lanes::{Sender, head_in_order, sender};
use super::row;
use super::token::token;
use crate::column::micros;
use crate::error::{Failure, Result};

pub(super) fn claim(
    c: &Connection,
    lanes: &[LaneClaim],
    lease_until: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<Vec<Claimed>> {
    let mut claimed = Vec::new();
    for lane in lanes {
        let Some(sender) = sender(c, lane.lane.webhook.0)? else {
            continue;
        };
        for id in claimable(c, lane, sender, micros(now))? {
            match one(c, id, lane.lane.class, sender, lease_until) {
                Ok(claim) => claimed.push(claim),
                Err(failure) => end_unreadable(c, id, failure)?,
            }
        }
    }
    Ok(claimed)
}

fn claimable(c: &Connection, claim: &LaneClaim, sender: Sender, now: i64) -> Result<Vec<i64>> {
    let (webhook, class) = (claim.lane.webhook.0, class_number(claim.lane.class));
    if sender.in_order {
        return Ok(head_in_order(c, webhook)?
            .filter(|head| head.class == class && head.due <= now && claim.limit > 0)
            .map(|head| head.id)
            .into_iter()
            .collect());
    }
    let mut statement = c.prepare_cached(include_str!("../sql/queue/claimable.sql"))?;
    let ids = statement.query_map(params![webhook, class, now, claim.limit], |r| r.get(0))?;
    Ok(ids.collect::<std::result::Result<_, _>>()?)
}

fn one(
    c: &Connection,
    id: i64,
    class: LaneClass,
    sender: Sender,
    lease_until: DateTime<Utc>,
) -> Result<Claimed> {
    c.prepare_cached(include_str!("../sql/queue/claim.sql"))?
        .query_row([id, micros(lease_until), sender.owner.0], |r| {
            let claims: i64 = r.get("claims")?;
            Ok(row::delivery(r).map(|delivery| Claimed {
                delivery,
                token: token(DeliveryId(id), claims),
                class,
                revision: sender.revision,
            }))
        })?
}

/// Only a value that cannot be understood ends a delivery; an error of the disk fails the whole
/// claim.
fn end_unreadable(c: &Connection, id: i64, failure: Failure) -> Result<()> {
    let error = StoreError::from(failure);
    if error.kind() != gatepost_storage::ErrorKind::Corrupt {
        return Err(error.into());
    }
    tracing::error!(delivery = id, %error, "a delivery cannot be read and ends");
    let info = format!("the stored delivery cannot be read: {}", error.context());
    c.prepare_cached(include_str!("../sql/queue/poison.sql"))?
        .execute(params![id, info])?;
    Ok(())
}
