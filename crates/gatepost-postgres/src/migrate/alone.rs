//! A transaction beside which no other process migrates.

use crate::db::{Db, Tx};
use crate::error::Result;

/// What names no schema is found nowhere, and made nowhere.
const BEGIN: &str = "BEGIN; SET LOCAL lock_timeout = '60s'; SET LOCAL statement_timeout = 0; \
    SET LOCAL search_path = pg_catalog";

/// Waits until the others have ended theirs.
pub(super) async fn begin(db: &Db) -> Result<Tx> {
    let tx = db.begin(BEGIN).await?;
    tx.query("SELECT pg_advisory_xact_lock($1)", &[&db.lock()])
        .await?;
    Ok(tx)
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
