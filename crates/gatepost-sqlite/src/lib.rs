#![doc = include_str!("../README.md")]

mod column;
mod config;
mod connection;
mod error;
mod keys;
mod list;
mod log;
mod migrate;
mod outbox;
#[cfg(test)]
mod plans;
mod queue;
mod readers;
mod records;
mod watch;
mod writer;

use std::fmt;
use std::sync::Arc;

use gatepost_storage::StoreError;
use gatepost_storage::seal::SealingKeys;
use rusqlite::Connection;

pub use crate::config::{SqliteConfig, Synchronous};
use crate::error::{Answer, Result, unavailable};
use crate::readers::Readers;
use crate::watch::Watch;
use crate::writer::Writer;

/// A store in one SQLite file. Cheap to clone: all clones share one writer and a few readers.
///
/// Implements [`KeyStore`](gatepost_storage::KeyStore) and the four traits of
/// [`WebhookStore`](gatepost_storage::WebhookStore). Every handle on one file, in whichever process
/// of this machine, sees the same data: what one has answered with `Ok`, the others see at once.
#[derive(Clone)]
pub struct SqliteStore {
    inner: Arc<Inner>,
}

struct Inner {
    writer: Writer,
    readers: Readers,
    watch: Watch,
    sealing: Arc<SealingKeys>,
}

impl SqliteStore {
    /// Opens the file, creates it if there is none, and brings its tables up to date.
    ///
    /// # Errors
    /// `Unavailable` when the file cannot be opened or another process holds it for too long;
    /// `Unsupported` for a file of another application, one written by a newer version, one on
    /// which a write-ahead log is not possible, or a SQLite library before 3.51.3; `Corrupt`
    /// for a file that is no database.
    pub async fn open(config: SqliteConfig) -> std::result::Result<Self, StoreError> {
        if config.sealing.is_none() {
            tracing::warn!("no sealing key was given: secrets of webhooks are stored in clear");
        }
        tokio::task::spawn_blocking(move || Self::open_blocking(config))
            .await
            .map_err(|e| unavailable("opening was given up").with_source(e))?
    }

    /// Ends the writer after all that was handed to it, and closes the file. Calls made afterwards
    /// are `Unavailable`, on every clone.
    pub async fn close(&self) {
        self.inner.writer.close().await;
        self.inner.readers.close();
        self.inner.watch.close();
    }

    fn open_blocking(config: SqliteConfig) -> Answer<Self> {
        let opened = || -> Result<(Connection, Connection)> {
            connection::check_library(rusqlite::version_number())?;
            let mut writer = connection::writer(&config)?;
            migrate::migrate(&mut writer)?;
            Ok((writer, connection::reader(&config)?))
        };
        let (writer, watch) = opened()?;
        let inner = Inner {
            sealing: Arc::clone(&config.sealing),
            readers: Readers::new(config.clone()),
            watch: Watch::new(watch),
            writer: Writer::start(config, writer)?,
        };
        Ok(Self {
            inner: Arc::new(inner),
        })
    }

    async fn write<T, F>(&self, work: F) -> Answer<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T> + Send + 'static,
    {
        self.inner.writer.run(work).await
    }

    async fn read<T, F>(&self, read: F) -> Answer<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T> + Send + 'static,
    {
        self.inner.readers.run(read).await
    }
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteStore").finish_non_exhaustive()
    }
}
