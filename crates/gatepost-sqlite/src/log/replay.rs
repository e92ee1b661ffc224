//! Replays.

use chrono::{DateTime, Utc};
use gatepost_storage::Page;
use gatepost_storage::webhooks::{DeliveryQuery, DeliveryState, Replay};
use rusqlite::Connection;

use super::list;
use super::look::{Found, Look};
use crate::batch::{Member, next_token};
use crate::column::micros;
use crate::deliveries::outcome::{self, Outcome, State};
use crate::deliveries::waiting;
use crate::error::Result;
use crate::watch;

/// Row numbers of what is to be sent again, oldest first.
pub(super) fn ids(c: &Connection, which: &Replay, limit: u32) -> Result<Vec<i64>> {
    let mut ids: Vec<i64> = match which {
        Replay::Ids(ids) => ids.iter().map(|id| id.0).collect(),
        Replay::Failed {
            webhook,
            from,
            before,
        } => {
            let query = DeliveryQuery {
                webhook: Some(*webhook),
                states: vec![DeliveryState::Error],
                created_from: Some(*from),
                created_before: Some(*before),
                ..DeliveryQuery::all(Page::first(limit))
            };
            list::found(c, &query, |found| found.key.message_kept)?
        }
    };
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

/// `failed`: only those that are still in state `error`.
pub(super) fn again(
    c: &Connection,
    ids: &[i64],
    failed: bool,
    limit: u32,
    now: DateTime<Utc>,
) -> Result<u64> {
    let look = Look::new(c)?;
    let token = next_token(c)?;
    let mut count = 0;
    for id in ids {
        if count == u64::from(limit) {
            break;
        }
        let found = look.find(*id)?;
        let found = found.filter(|found| match found.state() {
            DeliveryState::Error => found.key.message_kept,
            DeliveryState::Sent => found.key.message_kept && !failed,
            DeliveryState::Queued | DeliveryState::Running => false,
        });
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

/// Waits as if it were new, but for the attempts that were made.
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
