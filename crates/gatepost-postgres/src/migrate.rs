//! The schema, created or migrated when a store is opened.

use gatepost_storage::{ErrorKind, StoreError};

use crate::db::{Db, Tx};
use crate::error::{Failure, Result};

/// In order; a version is the position in this list, from 1. Never edited once released.
const MIGRATIONS: &[(&str, &str)] =
    &[("gatepost", include_str!("../migrations/0001_gatepost.sql"))];

/// An empty search path makes a name without a schema an error in every statement.
const BEGIN: &str = "BEGIN; SET LOCAL lock_timeout = '60s'; SET LOCAL statement_timeout = 0; \
    SET LOCAL search_path = pg_catalog";
/// Resets a default tablespace that is the database's own: PostgreSQL creates no partitioned table
/// if it is named.
const OWN_TABLESPACE: &str = "SELECT set_config('default_tablespace', '', true)
     FROM pg_database d JOIN pg_tablespace t ON t.oid = d.dattablespace
     WHERE d.datname = current_database() AND t.spcname = current_setting('default_tablespace')";
/// The server's version, and the database's encoding.
const FOUND: &str = "SELECT current_setting('server_version_num')::int AS version,
            current_setting('server_encoding') AS encoding";

/// Returns the version that this code knows.
pub(crate) fn known() -> i32 {
    i32::try_from(MIGRATIONS.len()).unwrap_or(i32::MAX)
}

/// Runs the missing migrations, in one transaction under an advisory lock: if several nodes start
/// at the same time, one migrates, and the others wait and find nothing to do. Refuses a database
/// that is newer than this code. Processes that listen on the channel are notified.
pub(crate) async fn migrate(
    db: &Db,
    schema: &str,
    channel: &str,
) -> std::result::Result<(), StoreError> {
    Ok(run(db, schema, channel).await?)
}

async fn run(db: &Db, schema: &str, channel: &str) -> Result<()> {
    let tx = db.begin(BEGIN).await?;
    tx.query("SELECT pg_advisory_xact_lock($1)", &[&db.lock()])
        .await?;
    let found = tx.query_one(FOUND, &[]).await?;
    let server: i32 = found.try_get("version")?;
    if server < 130_000 {
        return Err(Failure::new(
            ErrorKind::Unsupported,
            "PostgreSQL 13 or newer is needed",
        ));
    }
    // Any other encoding fails at the first text that it cannot represent.
    if found.try_get::<_, &str>("encoding")? != "UTF8" {
        return Err(Failure::new(
            ErrorKind::Unsupported,
            "the database's encoding must be UTF8: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0",
        ));
    }
    let present = match version(&tx).await? {
        Some(version) => version,
        None => create(&tx, schema).await?,
    };
    if present > known() {
        return Err(Failure::newer(present, known()));
    }
    tx.query(OWN_TABLESPACE, &[]).await?;
    for (version, (name, sql)) in (1i32..).zip(MIGRATIONS).filter(|(v, _)| *v > present) {
        tx.run(sql).await?;
        let mark = "INSERT INTO :schema.gatepost_migration (version, name) VALUES ($1, $2)";
        tx.query(mark, &[&version, name]).await?;
    }
    if present < known() {
        // Nodes of the previous version notice it immediately.
        tx.query("SELECT pg_notify($1, 'migrated')", &[&channel])
            .await?;
    }
    tx.commit().await?;
    db.execute(sql!("outbox/server"), &[]).await?;
    Ok(())
}

/// Returns the version of the schema; `None` if it does not exist yet.
async fn version(tx: &Tx) -> Result<Option<i32>> {
    let made = "SELECT to_regclass(':schema.gatepost_migration') IS NOT NULL";
    if !tx.query_one(made, &[]).await?.try_get(0)? {
        return Ok(None);
    }
    let newest = "SELECT coalesce(max(version), 0) FROM :schema.gatepost_migration";
    Ok(Some(tx.query_one(newest, &[]).await?.try_get(0)?))
}

/// Creates the schema. Called only if it is missing: a role without the permission to define tables
/// can open a schema that is up to date.
async fn create(tx: &Tx, schema: &str) -> Result<i32> {
    let exists = "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)";
    if !tx.query_one(exists, &[&schema]).await?.try_get(0)? {
        tx.run(&format!("CREATE SCHEMA \"{schema}\"")).await?;
    }
    tx.run(
        "CREATE TABLE :schema.gatepost_migration (
             version integer PRIMARY KEY, name text NOT NULL, applied timestamptz NOT NULL DEFAULT clock_timestamp())",
    )
    .await?;
    Ok(0)
}
