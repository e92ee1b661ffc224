//! What receivers have fetched.

use chrono::{DateTime, Utc};
use gatepost_storage::columns::{SealedAttempt, class_number};
use gatepost_storage::webhooks::{
    Acknowledged, Acknowledgement, Claim, ClaimToken, FETCHED_INFO, LaneClass,
};
use rusqlite::Connection;

use crate::batch::{Member, ended, next_token, webhook};
use crate::column::number;
use crate::deliveries::outcome::{self, Outcome, State};
use crate::deliveries::{shrunk, waiting};
use crate::error::Result;
use crate::named::Named;

pub(super) fn end(
    c: &Connection,
    fetched: &Acknowledgement,
    now: DateTime<Utc>,
) -> Result<Vec<Acknowledged>> {
    if webhook(c, fetched.webhook.0)?.is_none() {
        return Ok(Vec::new());
    }
    let token = next_token(c)?;
    let (mut done, mut grown) = (Vec::new(), 0);
    for handed in &fetched.deliveries {
        let waits = waiting::get(c, handed.delivery.0)?;
        let same = |waits: &Member| {
            waits.webhook == fetched.webhook.0 && waits.attempts == handed.attempts
        };
        let Some(waits) = waits.filter(same) else {
            continue;
        };
        waiting::remove(c, waits.delivery)?;
        let claim = Claim {
            delivery: handed.delivery,
            token: ClaimToken(token),
        };
        let attempt = SealedAttempt::fetched(claim, now);
        let end = Outcome {
            after: after(waits),
            token,
            state: State::Sent,
            status_info: FETCHED_INFO,
            attempt: Some(&attempt),
        };
        outcome::insert(c, &end)?;
        ended(c, waits.delivery)?;
        let bytes = length(c, waits.delivery)?;
        grown += outcome::bytes(Some(&attempt));
        if !fetched.keep_messages {
            c.prepare_cached(include_str!("../sql/queue/forget_message.sql"))?
                .execute([waits.delivery])?;
            grown -= i64::try_from(bytes).unwrap_or(i64::MAX);
        }
        done.push(Acknowledged {
            delivery: handed.delivery,
            bytes,
        });
    }
    shrunk(c, -grown)?;
    done.sort_unstable();
    Ok(done)
}

/// How it stands with one attempt more.
fn after(waits: Member) -> Member {
    Member {
        attempts: waits.attempts.saturating_add(1),
        tries: waits.tries.saturating_add(1),
        class: class_number(LaneClass::Retry),
        ..waits
    }
}

fn length(c: &Connection, delivery: i64) -> Result<u64> {
    let length = c
        .prepare_cached("SELECT octet_length(body) AS length FROM gatepost_delivery WHERE id = ?1")?
        .query_row([delivery], |row| Ok(number(&Named::of(row), "length")))??;
    Ok(length)
}
