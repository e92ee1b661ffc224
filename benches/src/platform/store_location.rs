//! The location of a store, and how it is opened.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use chrono::{DateTime, Utc};
use gatepost_postgres::{PostgresConfig, PostgresStore};
use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::webhooks::WebhookStore;
use gatepost_storage::{Clock as _, KeyStore};
use tempfile::TempDir;

/// A backend.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kind {
    /// SQLite, on a file.
    Sqlite,
    /// PostgreSQL.
    Postgres,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
        })
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "sqlite" => Ok(Self::Sqlite),
            "postgres" => Ok(Self::Postgres),
            other => Err(other.to_owned()),
        }
    }
}

/// Returns the time.
#[must_use]
pub fn now() -> DateTime<Utc> {
    gatepost_storage::SystemClock.now()
}

/// Opens a store that may be open elsewhere.
pub async fn open(kind: Kind, place: &str) -> Arc<dyn WebhookStore> {
    match kind {
        Kind::Sqlite => Arc::new(sqlite(place).await),
        Kind::Postgres => Arc::new(postgres(place).await),
    }
}

/// Opens the keys of a store that may be open elsewhere.
pub async fn key_store(kind: Kind, place: &str) -> Arc<dyn KeyStore> {
    match kind {
        Kind::Sqlite => Arc::new(sqlite(place).await),
        Kind::Postgres => Arc::new(postgres(place).await),
    }
}

async fn sqlite(file: &str) -> SqliteStore {
    SqliteStore::open(SqliteConfig::file(file)).await.unwrap()
}

async fn postgres(url: &str) -> PostgresStore {
    PostgresStore::connect(PostgresConfig::url(url))
        .await
        .unwrap()
}

/// Returns the location of a new, empty store: a file, or a database on the server that
/// `BENCH_POSTGRES_URL` names. Keep the folder until the store is closed.
pub async fn fresh_place(kind: Kind) -> (String, TempDir) {
    let server = std::env::var("BENCH_POSTGRES_URL").unwrap_or_default();
    fresh_place_on(kind, &server).await
}

/// The same as [`fresh_place`], on this server.
pub async fn fresh_place_on(kind: Kind, server: &str) -> (String, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let place = match kind {
        Kind::Sqlite => folder.path().join("gatepost.db").display().to_string(),
        Kind::Postgres => fresh_database(server).await,
    };
    (place, folder)
}

/// Creates a new database on that server.
async fn fresh_database(url: &str) -> String {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls)
        .await
        .unwrap();
    tokio::spawn(connection);
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("bench_{}_{number}", std::process::id());
    client
        .batch_execute(&format!("CREATE DATABASE {name}"))
        .await
        .unwrap();
    let mut url: url::Url = url.parse().unwrap();
    url.set_path(&name);
    url.into()
}
