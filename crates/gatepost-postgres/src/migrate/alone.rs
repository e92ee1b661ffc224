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
