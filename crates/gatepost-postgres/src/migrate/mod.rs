//! The schema, brought up to date when a store is opened.

mod ahead;
mod alone;

use ahead::{Copied, DONE};
use alone::Patience;
use gatepost_storage::{ErrorKind, StoreError};

use crate::db::{Db, Tx};
use crate::error::{Failure, Result};

/// In order; a version is the place in this list, from 1. Never edited once released.
const MIGRATIONS: &[(&str, &str)] = &[
    (
        "gatepost",
        include_str!("../../migrations/0001_gatepost.sql"),
    ),
    ("places", include_str!("../../migrations/0002_places.sql")),
    ("queue", include_str!("../../migrations/0003_queue.sql")),
    ("cause", include_str!("../../migrations/0004_cause.sql")),
    ("key_use", include_str!("../../migrations/0005_key_use.sql")),
    ("data", include_str!("../../migrations/0006_data.sql")),
    (
        "key_grant",
        include_str!("../../migrations/0007_key_grant.sql"),
    ),
    (
        "key_expires",
        include_str!("../../migrations/0008_key_expires.sql"),
    ),
    (
        "key_limit",
        include_str!("../../migrations/0009_key_limit.sql"),
    ),
    ("audit", include_str!("../../migrations/0010_audit.sql")),
    (
        "channels",
        include_str!("../../migrations/0011_channels.sql"),
    ),
    ("trace", include_str!("../../migrations/0012_trace.sql")),
    (
        "client_identity",
        include_str!("../../migrations/0013_client_identity.sql"),
    ),
    (
        "event_label",
        include_str!("../../migrations/0014_event_label.sql"),
    ),
    ("run_by", include_str!("../../migrations/0015_run_by.sql")),
    (
        "cause_data",
        include_str!("../../migrations/0016_cause_data.sql"),
    ),
    ("changes", include_str!("../../migrations/0017_changes.sql")),
    ("left", include_str!("../../migrations/0018_left.sql")),
    ("beside", include_str!("../../migrations/0019_beside.sql")),
    (
        "key_locked",
        include_str!("../../migrations/0020_key_locked.sql"),
    ),
];

/// What the last steps change, in the order in which a change of a record reads it. Whoever waits
/// behind us has some of it, so we wait for a moment only, and begin again.
const LOCK: &str = "SET LOCAL lock_timeout = '100ms';
    LOCK TABLE :schema.gatepost_webhook, :schema.gatepost_task, :schema.gatepost_owner,
        :schema.gatepost_key, :schema.gatepost_kept IN ACCESS EXCLUSIVE MODE;
    SET LOCAL lock_timeout = '60s'";
/// A default tablespace that is the database's own anyway is not said: PostgreSQL would make no
/// table that has partitions.
const OWN_TABLESPACE: &str = "SELECT set_config('default_tablespace', '', true)
     FROM pg_database d JOIN pg_tablespace t ON t.oid = d.dattablespace
     WHERE d.datname = current_database() AND t.spcname = current_setting('default_tablespace')";
/// The server's version, the database's encoding, and how long a statement may take in a session as
/// it begins.
const FOUND: &str = "SELECT current_setting('server_version_num')::int AS version,
            current_setting('server_encoding') AS encoding, reset_val::bigint AS timeout
     FROM pg_settings WHERE name = 'statement_timeout'";

/// The version that this code knows.
pub(crate) fn known() -> i32 {
    i32::try_from(MIGRATIONS.len()).unwrap_or(i32::MAX)
}

/// Runs what is missing, in one transaction under an advisory lock: of several nodes that start at
/// once one migrates, the others wait and find nothing to do. The log of an early version is copied
/// ahead of it. A database newer than this code is refused. Who listens on the channel is notified.
pub(crate) async fn migrate(
    db: &Db,
    schema: &str,
    channel: &str,
) -> std::result::Result<(), StoreError> {
    Ok(run(db, schema, channel).await?)
}

async fn run(db: &Db, schema: &str, channel: &str) -> Result<()> {
    // A session may have too little time even to say that it takes more.
    db.haste().learn(1);
    let token = ahead::copy(db).await?;
    let mut patience = Patience::new();
    let (tx, version, copied) = loop {
        let tx = alone::begin(db).await?;
        let version = alone::version(&tx).await?;
        match locked(&tx, version.unwrap_or_default(), token).await {
            Ok(copied) => break (tx, version, copied),
            Err(failure) => {
                drop(tx);
                patience.after(failure).await?;
            }
        }
    };
    let found = tx.query_one(FOUND, &[]).await?;
    let server: i32 = found.try_get("version")?;
    if server < 130_000 {
        return Err(Failure::new(
            ErrorKind::Unsupported,
            "PostgreSQL 13 or newer is needed",
        ));
    }
    // Any other fails at the first text that does not fit into it.
    if found.try_get::<_, &str>("encoding")? != "UTF8" {
        return Err(Failure::new(
            ErrorKind::Unsupported,
            "the database's encoding must be UTF8: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0",
        ));
    }
    let present = match version {
        Some(version) => version,
        None => create(&tx, schema).await?,
    };
    if present > known() {
        return Err(Failure::newer(present, known()));
    }
    tx.query(OWN_TABLESPACE, &[]).await?;
    take_steps(&tx, present, copied).await?;
    if present < known() {
        // Nodes of the version before notice it at once.
        tx.query("SELECT pg_notify($1, 'migrated')", &[&channel])
            .await?;
    }
    tx.commit().await?;
    db.haste().learn(found.try_get("timeout")?);
    db.execute(include_str!("../sql/outbox/server.sql"), &[])
        .await?;
    Ok(())
}

/// Takes the locks that the steps need, or fails after a moment.
async fn locked(tx: &Tx, version: i32, token: Option<i64>) -> Result<Option<Copied>> {
    let copied = Copied::of(tx, version, token).await?;
    if (DONE..known()).contains(&version) {
        tx.run(LOCK).await?;
    }
    Ok(copied)
}

/// Only where there is nothing yet: a role that may not define anything opens what is up to date.
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

async fn take_steps(tx: &Tx, present: i32, copied: Option<Copied>) -> Result<()> {
    if let Some(copied) = &copied {
        copied.part(tx).await?;
    }
    for (version, (name, sql)) in (1i32..)
        .zip(MIGRATIONS)
        .filter(|(version, _)| *version > present)
    {
        tx.run(sql).await?;
        tx.query(
            "INSERT INTO :schema.gatepost_migration (version, name) VALUES ($1, $2)",
            &[&version, name],
        )
        .await?;
        if let (Some(copied), DONE) = (&copied, version) {
            copied.join(tx).await?;
        }
    }
    Ok(())
}
