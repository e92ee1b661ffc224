//! The second and the third step write the whole log once more. What is there when they come is
//! copied ahead of them, so that they hold nobody up for longer than a moment.

use super::alone;
use crate::db::{Db, Tx};
use crate::error::Result;

/// The first version whose log is not copied.
pub(super) const DONE: i32 = 3;
/// Before the first step that is missing, and after that of [`DONE`].
pub(super) const PART: &str = include_str!("../sql/ahead/part.sql");
pub(super) const JOIN: &str = include_str!("../sql/ahead/join.sql");
const TABLES: &str = include_str!("../sql/ahead/tables.sql");
const COPY: [&str; 3] = [
    include_str!("../sql/ahead/deliveries.sql"),
    include_str!("../sql/ahead/attempts.sql"),
    include_str!("../sql/ahead/ends.sql"),
];
/// Where the next bite ends: 10,000 deliveries further.
const NEXT: &str = "SELECT max(id) FROM (
    SELECT id FROM :schema.gatepost_delivery WHERE id > $1 AND id <= $2 ORDER BY id LIMIT 10000) bite";

/// Copies what the log of an earlier version has now, beside processes that use it. Goes on where
/// one that was killed has stopped; does nothing to a log of another version, or without a row.
pub(super) async fn copy(db: &Db) -> Result<()> {
    let Some(tx) = before(db).await? else {
        return Ok(());
    };
    let last = "SELECT max(id) FROM :schema.gatepost_delivery";
    let last: Option<i64> = tx.query_one(last, &[]).await?.try_get(0)?;
    let Some(last) = last else {
        return Ok(());
    };
    if !there(&tx).await? {
        tx.run(TABLES).await?;
    }
    let after = "SELECT coalesce(max(id), 0) FROM :schema.gatepost_delivery_ahead";
    let mut after: i64 = tx.query_one(after, &[]).await?.try_get(0)?;
    tx.commit().await?;
    while let Some(upto) = bite(db, after, last).await? {
        after = upto;
    }
    Ok(())
}

/// Whether something was copied, and waits to be joined.
pub(super) async fn there(tx: &Tx) -> Result<bool> {
    let there = "SELECT to_regclass(':schema.gatepost_delivery_ahead') IS NOT NULL";
    Ok(tx.query_one(there, &[]).await?.try_get(0)?)
}

/// Returns where it ended; `None` when there was nothing left.
async fn bite(db: &Db, after: i64, last: i64) -> Result<Option<i64>> {
    let Some(tx) = before(db).await? else {
        return Ok(None);
    };
    let upto: Option<i64> = tx.query_one(NEXT, &[&after, &last]).await?.try_get(0)?;
    let Some(upto) = upto else {
        return Ok(None);
    };
    for statement in COPY {
        tx.query(statement, &[&after, &upto]).await?;
    }
    tx.commit().await?;
    Ok(Some(upto))
}

/// A transaction beside which nobody migrates, if the log is of an earlier version.
async fn before(db: &Db) -> Result<Option<Tx>> {
    let tx = alone::begin(db).await?;
    let version = alone::version(&tx).await?.unwrap_or_default();
    Ok((1..DONE).contains(&version).then_some(tx))
}
