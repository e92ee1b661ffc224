//! Lost batches: those whose lease has ended.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{Delivery, EndReason, QueueClass, Reclaimed};
use rusqlite::Connection;

use crate::batch::{self, Member, is_open, readable, webhook};
use crate::column::micros;
use crate::deliveries::outcome::{self, Outcome, State};
use crate::deliveries::{count_failed, waiting};
use crate::error::Result;
use crate::sql::Sql as _;
use crate::watch;

pub(super) fn reclaim(c: &Connection, limit: u32, now: DateTime<Utc>) -> Result<Reclaimed> {
    let mut reclaimed = Reclaimed::default();
    for (token, members) in over(c, limit, now)? {
        for member in members {
            // No delivery of a deleted webhook is put back.
            if is_open(c, token, member)? && webhook(c, member.webhook)?.is_some() {
                if put_back(c, member, now)? {
                    reclaimed.requeued += 1;
                } else {
                    reclaimed.ended += 1;
                }
            }
        }
        c.run("DELETE FROM gatepost_running WHERE token = ?1", [token])?;
    }
    if reclaimed.requeued > 0 {
        watch::arrived(c)?;
    }
    Ok(reclaimed)
}

/// Returns batches whose lease has ended, until they have this many open members. A batch that
/// cannot be read stays as it is and does not count.
fn over(c: &Connection, limit: u32, now: DateTime<Utc>) -> Result<Vec<(i64, Vec<Member>)>> {
    let mut find = c.prepare_cached(sql!("queue/lease_over"))?;
    let mut rows = find.query([micros(now)])?;
    let (mut found, mut open) = (Vec::new(), 0);
    while let Some(row) = rows.next()? {
        if open >= i64::from(limit) {
            break;
        }
        let (token, of_batch) = (row.get(0)?, row.get(1)?);
        if let Some(members) = readable(token, of_batch, row.get_ref(2)?)? {
            open += of_batch;
            found.push((token, members));
        }
    }
    Ok(found)
}

/// Puts a delivery back; returns `false` if it has ended. The first loss does not count: any of the
/// deliveries that were lost together may have caused it.
fn put_back(c: &Connection, member: Member, now: DateTime<Utc>) -> Result<bool> {
    let lost = member.lost + u32::from(member.is_lost());
    let after = Member {
        lost,
        class: QueueClass::after_losses(lost).number(),
        ..member
    };
    if after.lost < Delivery::MAX_LOST_CLAIMS {
        let due = micros(now);
        waiting::insert(c, Member { due, ..after })?;
        return Ok(true);
    }
    let ended = Outcome {
        after,
        token: batch::next_token(c)?,
        state: State::Error,
        status_info: EndReason::LostClaims.as_str(),
        attempt: None,
    };
    outcome::insert(c, &ended)?;
    batch::ended(c, after.delivery)?;
    count_failed(c, after.webhook, now)?;
    Ok(false)
}
