//! A change of a record: the locks of its realms, the change and its commit, in one round trip.

use gatepost_storage::ErrorKind;
use tokio_postgres::Row;
use uuid::Uuid;

use crate::db::{Db, Param, Tried, missing};
use crate::error::{Failure, Result};

/// Gives an owner a row, so that joins find one.
pub(crate) const KNOW: &str = sql!("owners/know");
/// Lets a removed owner start again, without records.
pub(crate) const REVIVE: &str = sql!("owners/revive");

/// The realms, owners and webhooks that a change locks exclusively.
#[derive(Debug, Default)]
pub(crate) struct Alone {
    pub(crate) places: Vec<String>,
    pub(crate) owners: Vec<Uuid>,
    pub(crate) webhooks: Vec<i64>,
    pub(crate) tasks: Vec<i64>,
    pub(crate) events: Vec<i64>,
}

/// The error texts of a statement that changes a record.
pub(crate) struct Words {
    /// The kind of the record: `webhook`.
    pub(crate) what: &'static str,
    /// The error if a name is taken.
    pub(crate) taken: &'static str,
    /// The error if a referenced row does not exist.
    pub(crate) reference: &'static str,
}

impl Db {
    /// Makes a change while nobody else changes the same realms. `sql` returns one row whose
    /// `verdict` is `ok`, or the reason why nothing was changed; `again` without the locks.
    pub(crate) async fn change(
        &self,
        alone: &Alone,
        before: Option<(&str, &[Param<'_>])>,
        (sql, params): (&str, &[Param<'_>]),
    ) -> Result<(String, Row)> {
        let (number, in_order) = (self.places(), Vec::new());
        let locks = lock_params(&number, &in_order, alone);
        let mut turn = self.waits().turn();
        loop {
            let mut statements = Vec::with_capacity(3);
            statements.extend(before);
            statements.push((turn.sql(), &locks[..]));
            statements.push((sql, params));
            let answers = self.pipeline(turn.begin(), &statements).await;
            if let Some(done) = turn.after(answers.and_then(changed)).await? {
                return Ok(done);
            }
        }
    }
}

/// Returns the verdict of the last of these statements, with its row.
fn changed(mut answers: Vec<Vec<Row>>) -> Tried<(String, Row)> {
    let row = answers.pop().and_then(|rows| rows.into_iter().next());
    let row = row.ok_or_else(Failure::nothing)?;
    let verdict: String = row.try_get("verdict")?;
    Ok(match verdict.as_str() {
        "again" => Err(missing(&answers.pop().unwrap_or_default())?),
        _ => Ok((verdict, row)),
    })
}

/// Returns the parameters of `place/needed.sql`.
pub(crate) fn lock_params<'a>(
    number: &'a i32,
    in_order: &'a Vec<i64>,
    alone: &'a Alone,
) -> [Param<'a>; 7] {
    [
        number,
        in_order,
        &alone.places,
        &alone.owners,
        &alone.webhooks,
        &alone.tasks,
        &alone.events,
    ]
}

impl Words {
    /// Returns the error of a verdict.
    pub(crate) fn check(&self, verdict: &str) -> Result<()> {
        Err(match verdict {
            "ok" => return Ok(()),
            "missing" => Failure::not_found(self.what),
            "stale" => Failure::new(ErrorKind::Stale, self.what),
            "rows" => Failure::new(ErrorKind::Full, "rows"),
            "bytes" => Failure::new(ErrorKind::Full, "bytes"),
            "taken" => Failure::new(ErrorKind::Conflict, self.taken),
            "lookup" => Failure::new(ErrorKind::Conflict, "a key with that lookup id"),
            "reference" => Failure::new(ErrorKind::Invalid, self.reference),
            "used" => Failure::new(ErrorKind::InUse, "a task sends this webhook"),
            _ => Failure::unavailable("the database refused"),
        })
    }
}

/// Returns a limit in the range of a column.
pub(crate) fn most(limit: u64) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}
