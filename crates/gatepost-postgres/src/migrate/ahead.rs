//! The second and the third step write the whole log once more. What is there when they come is
//! copied ahead of them, so that they hold nobody up for longer than a moment.

use super::alone::{self, Patience};
use crate::db::{Db, Tx};
use crate::error::Result;

/// The first version whose log is not copied.
pub(super) const DONE: i32 = 3;
/// Before the first step that is missing, and after that of [`DONE`].
const PART: &str = include_str!("../sql/ahead/part.sql");
const JOIN: &str = include_str!("../sql/ahead/join.sql");
const LOCK: &str = include_str!("../sql/ahead/lock.sql");
const TABLES: &str = include_str!("../sql/ahead/tables.sql");
const NEXT: &str = include_str!("../sql/ahead/next.sql");
const CHANGED: &str = include_str!("../sql/ahead/changed.sql");
const COPY: [&str; 4] = [
    include_str!("../sql/ahead/back.sql"),
    include_str!("../sql/ahead/deliveries.sql"),
    include_str!("../sql/ahead/attempts.sql"),
    include_str!("../sql/ahead/ends.sql"),
];
/// What the first version has not, and what stands there.
const OF_FIRST: [(&str, &str); 4] = [
    ("d.owner", "w.owner"),
    ("d.tenant", "NULL::bigint"),
    ("d.message_kept", "true"),
    ("a.kept", "true"),
];
/// For the plans of the steps.
const KNOWN: &str =
    "ANALYZE :schema.gatepost_delivery_ahead; ANALYZE :schema.gatepost_outcome_ahead";
/// Fewer changes than this are left to the steps.
const FEW: usize = 1_000;
/// No token is given twice to a delivery.
const TOKEN: &str = "SELECT setval(':schema.gatepost_claim',
    greatest((SELECT last_value FROM :schema.gatepost_claim), $1::bigint + 1))";

/// Copies what the log of an earlier version has, beside processes that use it. Goes on where one
/// that was killed has stopped; does nothing to a log of another version, or without a row. Returns
/// the greatest token in the copy.
pub(super) async fn copy(db: &Db) -> Result<Option<i64>> {
    let mut patience = Patience::new();
    let last = loop {
        match begin(db).await {
            Ok(Some(last)) => break last,
            Ok(None) => return Ok(None),
            Err(failure) => patience.after(failure).await?,
        }
    };
    tracing::info!(
        last,
        "the log of an earlier version is copied ahead of its migration"
    );
    let (mut after, mut bites) = (0, 0);
    while let Some(ids) = bite(db, NEXT, Some((after, last))).await? {
        (after, bites) = (ids.last().copied().unwrap_or(last), bites + 1);
    }
    // What changed meanwhile, while it becomes less: they may change as fast as we copy.
    for _ in 0..=bites {
        let ids = bite(db, CHANGED, None).await?.unwrap_or_default();
        if ids.len() < FEW {
            break;
        }
    }
    let Some((tx, _)) = before(db).await? else {
        return Ok(None);
    };
    tx.run(KNOWN).await?;
    let token = token(&tx).await?;
    tx.commit().await?;
    Ok(Some(token))
}

async fn token(tx: &Tx) -> Result<i64> {
    let greatest = "SELECT coalesce(max(token), 0) FROM :schema.gatepost_outcome_ahead";
    Ok(tx.query_one(greatest, &[]).await?.try_get(0)?)
}

/// Begins the copy, if there is something to copy: returns the last delivery.
async fn begin(db: &Db) -> Result<Option<i64>> {
    let Some((tx, _)) = before(db).await? else {
        return Ok(None);
    };
    let mut last = newest(&tx).await?;
    if last.is_some() && !there(&tx).await? {
        tx.run("SET LOCAL lock_timeout = '100ms'").await?;
        tx.run(TABLES).await?;
        // What came until the triggers had their lock was not noted.
        last = newest(&tx).await?;
    }
    tx.commit().await?;
    Ok(last)
}

async fn newest(tx: &Tx) -> Result<Option<i64>> {
    let newest = "SELECT max(id) FROM :schema.gatepost_delivery";
    Ok(tx.query_one(newest, &[]).await?.try_get(0)?)
}

/// One transaction. Returns the deliveries that `which` gave; `None` when there was nothing left.
async fn bite(db: &Db, which: &str, span: Option<(i64, i64)>) -> Result<Option<Vec<i64>>> {
    let Some((tx, version)) = before(db).await? else {
        return Ok(None);
    };
    let found = match &span {
        Some((after, last)) => tx.query_one(which, &[after, last]).await?,
        None => tx.query_one(which, &[]).await?,
    };
    let Some(ids) = found.try_get::<_, Option<Vec<i64>>>(0)? else {
        return Ok(None);
    };
    for statement in COPY {
        tx.query(&of_version(statement, version), &[&ids]).await?;
    }
    tx.commit().await?;
    Ok(Some(ids))
}

fn of_version(statement: &str, version: i32) -> String {
    let missing = if version == 1 { &OF_FIRST[..] } else { &[] };
    let put = |text: String, (what, instead): &(&str, &str)| text.replace(what, instead);
    missing.iter().fold(statement.to_owned(), put)
}

/// A transaction beside which nobody migrates, and the version, if it is an earlier one.
async fn before(db: &Db) -> Result<Option<(Tx, i32)>> {
    let tx = alone::begin_bite(db).await?;
    let version = alone::version(&tx).await?.unwrap_or_default();
    Ok((1..DONE).contains(&version).then_some((tx, version)))
}

/// Whether something was copied, and waits to be joined.
async fn there(tx: &Tx) -> Result<bool> {
    let there = "SELECT to_regclass(':schema.gatepost_delivery_ahead') IS NOT NULL";
    Ok(tx.query_one(there, &[]).await?.try_get(0)?)
}

/// What was copied, for the transaction that takes the steps. `None` where nothing was.
pub(super) struct Copied {
    token: i64,
}

impl Copied {
    /// Takes the locks that the steps need, or fails after a moment. `greatest`: as [`copy`] found
    /// it, if it did.
    pub(super) async fn of(tx: &Tx, version: i32, greatest: Option<i64>) -> Result<Option<Self>> {
        if !(1..DONE).contains(&version) || !there(tx).await? {
            return Ok(None);
        }
        let token = match greatest {
            Some(token) => token,
            None => token(tx).await?,
        };
        tx.run(LOCK).await?;
        Ok(Some(Self { token }))
    }

    /// Before the first step.
    pub(super) async fn part(&self, tx: &Tx) -> Result<()> {
        tx.run(PART).await
    }

    /// After the step to [`DONE`].
    pub(super) async fn join(&self, tx: &Tx) -> Result<()> {
        tx.run(JOIN).await?;
        tx.query(TOKEN, &[&self.token]).await?;
        Ok(())
    }
}
