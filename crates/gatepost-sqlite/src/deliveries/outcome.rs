//! The outcomes of a delivery: one row for each token that was used on it, never changed.

use gatepost_storage::columns::SealedAttempt;
use rusqlite::{Connection, params};

use crate::batch::Member;
use crate::column::{length, micros};
use crate::error::Result;
use crate::sql::Sql as _;

/// The approximate size of an outcome in the log, without the detail of its attempt.
pub(crate) const OUTCOME_BYTES: i64 = 150;

/// The values of `gatepost_outcome.state`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum State {
    /// Another attempt will follow.
    Waits = 0,
    /// Waits as if it had not been claimed, or had not ended.
    GivenBack = 1,
    /// It was sent.
    Sent = 2,
    /// It ended without success.
    Error = 3,
}

pub(crate) struct Outcome<'a> {
    /// The delivery after this outcome.
    pub(crate) after: Member,
    pub(crate) token: i64,
    pub(crate) state: State,
    pub(crate) status_info: &'a str,
    pub(crate) attempt: Option<&'a SealedAttempt>,
}

/// The columns by which an error is listed.
#[derive(Clone, Debug, Default)]
struct ListedBy {
    webhook: Option<i64>,
    task: Option<i64>,
    /// The bytes of the id.
    tenant: Option<Vec<u8>>,
}

/// Inserts an outcome; returns `false` if the token was used on this delivery earlier, or the
/// delivery has been removed.
pub(crate) fn insert(c: &Connection, outcome: &Outcome<'_>) -> Result<bool> {
    let after = outcome.after;
    let listed = match outcome.state {
        State::Error => listed_by(c, after)?,
        State::Waits | State::GivenBack | State::Sent => ListedBy::default(),
    };
    let attempt = outcome.attempt;
    let stored = c
        .prepare_cached(sql!("log/insert_outcome"))?
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

/// Returns the columns of an error: errors are rare, and are listed not only by number.
fn listed_by(c: &Connection, after: Member) -> Result<ListedBy> {
    let sql = "SELECT task, tenant FROM gatepost_delivery WHERE id = ?1";
    let found = c.first(sql, [after.delivery], |row| {
        Ok(ListedBy {
            webhook: Some(after.webhook),
            task: row.get(0)?,
            tenant: row.get(1)?,
        })
    })?;
    Ok(found.unwrap_or_default())
}

/// Returns the approximate size that an outcome adds to the log.
pub(crate) fn bytes(attempt: Option<&SealedAttempt>) -> i64 {
    let detail = attempt.and_then(|made| made.detail.as_ref());
    i64::try_from(detail.map_or(0, Vec::len))
        .unwrap_or(i64::MAX)
        .saturating_add(OUTCOME_BYTES)
}
