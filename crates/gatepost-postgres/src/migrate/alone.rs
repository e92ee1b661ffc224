//! A transaction beside which no other process migrates.

use std::time::Duration;

use crate::db::{Db, Tx};
use crate::error::{Failure, Result};

/// What names no schema is found nowhere, and made nowhere.
const BEGIN: &str = "BEGIN; SET LOCAL lock_timeout = '60s'; SET LOCAL statement_timeout = 0; \
    SET LOCAL search_path = pg_catalog";
/// How often something is tried that waits for locks for a moment only, and the pause between.
const TRIES: u32 = 300;
const PAUSE: Duration = Duration::from_millis(100);

/// Waits until the others have ended theirs, and their bites.
pub(super) async fn begin(db: &Db) -> Result<Tx> {
    let tx = begin_bite(db).await?;
    lock(&tx, db.lock()).await?;
    Ok(tx)
}

/// Waits for the bites of others. Processes of the first version share the other lock with every
/// emit.
pub(super) async fn begin_bite(db: &Db) -> Result<Tx> {
    let tx = db.begin(BEGIN).await?;
    lock(&tx, !db.lock()).await?;
    Ok(tx)
}

async fn lock(tx: &Tx, number: i64) -> Result<()> {
    tx.query("SELECT pg_advisory_xact_lock($1)", &[&number])
        .await?;
    Ok(())
}

/// The version that the schema has; `None` where nothing was made yet.
pub(super) async fn version(tx: &Tx) -> Result<Option<i32>> {
    let made = "SELECT to_regclass(':schema.gatepost_migration') IS NOT NULL";
    if !tx.query_one(made, &[]).await?.try_get(0)? {
        return Ok(None);
    }
    let newest = "SELECT coalesce(max(version), 0) FROM :schema.gatepost_migration";
    Ok(Some(tx.query_one(newest, &[]).await?.try_get(0)?))
}

/// For what is begun again, in a transaction of its own each time, while others have what it needs.
pub(super) struct Patience(u32);

impl Patience {
    pub(super) fn new() -> Self {
        Self(TRIES)
    }

    /// Waits for a moment after this, unless that would not help or has not.
    pub(super) async fn after(&mut self, failure: Failure) -> Result<()> {
        if self.0 == 0 || !(failure.was_locked || failure.was_victim) {
            return Err(failure);
        }
        self.0 -= 1;
        tokio::time::sleep(PAUSE).await;
        Ok(())
    }
}
