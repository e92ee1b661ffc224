//! Replays.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::DeliveryId;
use rusqlite::Connection;

use super::snapshot::{Found, Look};
use crate::batch::{Member, next_token};
use crate::column::micros;
use crate::deliveries::outcome::{self, Outcome, State};
use crate::deliveries::waiting;
use crate::error::Result;
use crate::watch;

/// Queues these deliveries again; returns how many.
pub(super) fn again(c: &Connection, ids: &BTreeSet<DeliveryId>, now: DateTime<Utc>) -> Result<u64> {
    let look = Look::new(c)?;
    let token = next_token(c)?;
    let mut count = 0;
    for id in ids {
        let found = look.find(id.0)?;
        let found = found.filter(|found| found.state().is_final() && found.key.message_kept);
        if let Some(found) = found {
            one(c, &found, token, micros(now))?;
            count += 1;
        }
    }
    if count > 0 {
        watch::arrived(c)?;
    }
    Ok(count)
}

/// Queues a delivery as if it were new, except for the number of its attempts.
fn one(c: &Connection, found: &Found, token: i64, now: i64) -> Result<()> {
    let last = found.history.last.as_ref();
    let after = Member {
        delivery: found.key.id,
        webhook: found.key.webhook,
        due: now,
        attempts: last.map_or(0, |last| last.after.attempts),
        tries: 0,
        lost: 0,
        class: 0,
    };
    let replayed = Outcome {
        after,
        token,
        state: State::GivenBack,
        status_info: "",
        attempt: None,
    };
    outcome::insert(c, &replayed)?;
    waiting::insert(c, after)
}
