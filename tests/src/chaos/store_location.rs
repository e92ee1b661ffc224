//! The location of a run's store, as one argument for a child.

use std::sync::Arc;
use std::time::Duration;

use gatepost_postgres::{PostgresConfig, PostgresStore};
use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::{KeyStore, WebhookStore};

use crate::postgres::{FreshSchema, fresh};

/// The file in which a child finds the present password of its server's role.
pub const PASSWORD: &str = "GATEPOST_CHAOS_PASSWORD";

/// A store that several processes open.
#[derive(Clone, Debug)]
pub enum Place {
    /// A SQLite file.
    File(String),
    /// A schema of a PostgreSQL server.
    Server {
        /// The connection string.
        url: String,
        /// The schema.
        schema: String,
    },
}

/// Both halves of a store.
pub trait Store: KeyStore + WebhookStore {}

impl<S: KeyStore + WebhookStore> Store for S {}

impl Place {
    /// Returns the store of a folder.
    ///
    /// # Panics
    /// If its path is not UTF-8.
    pub fn in_folder(folder: &tempfile::TempDir) -> Self {
        let path = folder.path().join("gatepost.db");
        Self::File(path.to_str().unwrap().to_owned())
    }

    /// Returns a new schema of the tests' server.
    pub fn fresh() -> Self {
        let FreshSchema { url, schema } = fresh();
        Self::Server { url, schema }
    }

    /// Returns the schema `gatepost` of a server.
    pub fn on(url: &str) -> Self {
        Self::Server {
            url: url.to_owned(),
            schema: "gatepost".to_owned(),
        }
    }

    /// Returns the location as one argument.
    pub fn word(&self) -> String {
        match self {
            Self::File(path) => path.clone(),
            Self::Server { url, schema } => format!("{url}#{schema}"),
        }
    }

    /// Parses the location in an argument.
    pub fn parse(word: &str) -> Self {
        match word.split_once('#') {
            Some((url, schema)) => Self::Server {
                url: url.to_owned(),
                schema: schema.to_owned(),
            },
            None => Self::File(word.to_owned()),
        }
    }

    /// Returns whether a write would succeed now: `false` while another process holds the lock of a
    /// file.
    ///
    /// # Panics
    /// If the file cannot be opened.
    pub fn writable(&self) -> bool {
        let Self::File(path) = self else {
            return true;
        };
        let connection = rusqlite::Connection::open(path).unwrap();
        connection.busy_timeout(Duration::from_millis(100)).unwrap();
        connection
            .execute_batch("BEGIN IMMEDIATE; ROLLBACK")
            .is_ok()
    }

    /// Opens the store.
    ///
    /// # Panics
    /// If it cannot be opened.
    pub async fn open(&self) -> Arc<dyn Store> {
        match self {
            Self::File(path) => {
                Arc::new(SqliteStore::open(SqliteConfig::file(path)).await.unwrap())
            }
            Self::Server { url, schema } => {
                let mut config = PostgresConfig::url(url)
                    .with_schema(schema)
                    .with_max_connections(6);
                if let Ok(file) = std::env::var(PASSWORD) {
                    let read = move || std::fs::read_to_string(&file).unwrap_or_default();
                    config = config.with_password_from(read);
                }
                Arc::new(PostgresStore::connect(config).await.unwrap())
            }
        }
    }
}
