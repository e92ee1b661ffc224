//! What became of a delivery: a row for each token that was used on it, never changed.

use gatepost_storage::columns::SealedAttempt;
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::batch::Member;
use crate::column::{length, micros};
use crate::error::Result;

/// What an outcome takes in the log, about, without the detail of its attempt.
pub(crate) const OUTCOME_BYTES: i64 = 150;

/// How `gatepost_outcome.state` says it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum State {
    /// Another attempt is to follow.
    Waits = 0,
    /// Waits as if there had been no claim, or no end.
    GivenBack = 1,
    /// It was sent.
    Sent = 2,
    /// It ended without success.
    Error = 3,
}

pub(crate) struct Outcome<'a> {
    /// How the delivery stands after it.
    pub(crate) after: Member,
    pub(crate) token: i64,
    pub(crate) state: State,
    pub(crate) status_info: &'a str,
    pub(crate) attempt: Option<&'a SealedAttempt>,
}

/// Where an error is listed.
#[derive(Clone, Debug, Default)]
struct ListedBy {
    webhook: Option<i64>,
    task: Option<i64>,
    /// As its bytes.
    tenant: Option<Vec<u8>>,
}

/// `false` where the token was used on this delivery before, or the delivery was removed since.
pub(crate) fn insert(c: &Connection, outcome: &Outcome<'_>) -> Result<bool> {
    let after = outcome.after;
    let listed = match outcome.state {
        State::Error => listed_by(c, after)?,
        State::Waits | State::GivenBack | State::Sent => ListedBy::default(),
    };
    let attempt = outcome.attempt;
    let stored = c
        .prepare_cached(include_str!("../sql/log/insert_outcome.sql"))?
        .execute(params![
            after.delivery,
            outcome.token,
            outcome.state as i64,
            after.attempts,
            after.tries,
            after.lost,
            after.due,
            outcome.status_info,
            listed.webhook,
            listed.task,
            listed.tenant,
            attempt.map(|made| micros(made.started)),
            attempt.map(|made| length(made.duration)),
            attempt.map(|made| &made.class),
            attempt.and_then(|made| made.status),
            attempt.map(|made| i64::try_from(made.kept_bytes).unwrap_or(i64::MAX)),
            attempt.and_then(|made| made.detail.as_ref()),
        ])?;
    Ok(stored > 0)
}

/// An error is rare, and is looked for by more than its number.
fn listed_by(c: &Connection, after: Member) -> Result<ListedBy> {
    let found = c
        .prepare_cached("SELECT task, tenant FROM gatepost_delivery WHERE id = ?1")?
        .query_row([after.delivery], |row| {
            Ok(ListedBy {
                webhook: Some(after.webhook),
                task: row.get(0)?,
                tenant: row.get(1)?,
            })
        })
        .optional()?;
    Ok(found.unwrap_or_default())
}

/// What an outcome adds to the log, about.
pub(crate) fn bytes(attempt: Option<&SealedAttempt>) -> i64 {
    let detail = attempt.and_then(|made| made.detail.as_ref());
    i64::try_from(detail.map_or(0, Vec::len))
        .unwrap_or(i64::MAX)
        .saturating_add(OUTCOME_BYTES)
}
