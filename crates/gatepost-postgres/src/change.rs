//! A change of a record: the locks of the places that it concerns, the change, its commit, in one
//! round trip.

use gatepost_storage::ErrorKind;
use tokio_postgres::Row;
use uuid::Uuid;

use crate::db::{Db, Param, Tried, missing};
use crate::error::{Failure, Result};

/// Gives an owner a row, so that joins find one.
pub(crate) const KNOW: &str = include_str!("sql/owners/know.sql");
/// Lets an owner who was removed begin again, with nothing.
pub(crate) const REVIVE: &str = include_str!("sql/owners/revive.sql");

/// In whose places a change is alone.
#[derive(Debug, Default)]
pub(crate) struct Alone {
    pub(crate) places: Vec<String>,
    pub(crate) owners: Vec<Uuid>,
    pub(crate) webhooks: Vec<i64>,
    pub(crate) tasks: Vec<i64>,
    pub(crate) events: Vec<i64>,
}

/// What a statement of a change says of itself, in words of its own.
pub(crate) struct Words {
    /// The record: `webhook`.
    pub(crate) what: &'static str,
    /// What is wrong where a name is taken.
    pub(crate) taken: &'static str,
    /// What is wrong where a row that is referred to does not exist.
    pub(crate) reference: &'static str,
}

impl Db {
    /// Makes a change while nobody else changes the same places. `sql` answers
    /// one row whose `verdict` is `ok`, or why nothing was changed; `again` without the locks.
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

/// The verdict of the last of these statements, with its row.
fn changed(mut answers: Vec<Vec<Row>>) -> Tried<(String, Row)> {
    let row = answers.pop().and_then(|rows| rows.into_iter().next());
    let row = row.ok_or_else(Failure::nothing)?;
    let verdict: String = row.try_get("verdict")?;
    Ok(match verdict.as_str() {
        "again" => Err(missing(&answers.pop().unwrap_or_default())?),
        _ => Ok((verdict, row)),
    })
}

/// The parameters of `place/needed.sql`.
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
    /// The error of a verdict.
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

/// A limit as a column can hold it.
pub(crate) fn most(limit: u64) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}
