//! The store: a writer, a limited number of readers, and a connection that watches.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use gatepost_storage::StoreError;
use gatepost_storage::seal::SealingKeys;
use rusqlite::Connection;

use crate::batch::Batch;
use crate::config::SqliteConfig;
use crate::error::{Answer, Result, unavailable};
use crate::readers::Readers;
use crate::watch::{Own, Watch};
use crate::writer::Writer;
use crate::{connection, files, migrate};

/// A store in one SQLite file. Cheap to clone: all clones share one writer and a limited number of
/// readers.
///
/// Implements [`KeyStore`](gatepost_storage::KeyStore), the four traits of
/// [`WebhookStore`](gatepost_storage::WebhookStore), and
/// [`AuditStore`](gatepost_storage::AuditStore). All handles on one file, in any process of this
/// machine, see the same data: after a call on one has returned `Ok`, the others see its effect.
#[derive(Clone)]
pub struct SqliteStore {
    writer: Writer,
    readers: Readers,
    watch: Arc<Watch>,
    sealing: Arc<SealingKeys>,
}

/// The number of writes of a store since it was opened: commands that wait at the same time share a
/// commit.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Commits {
    /// Commits, including failed ones.
    pub commits: u64,
    /// Commands in these commits: enqueues, claims, settlements, changes.
    pub commands: u64,
}

impl SqliteStore {
    /// Opens the file, creates it if it does not exist, and migrates its tables.
    ///
    /// On Unix, only the owner has access to a new file, its log and its shared memory (0600), and
    /// to its folder (0700) if that is new; wider access is reported by a warning.
    ///
    /// # Errors
    /// Each names the file, and its cause if the system gave one. `Unavailable` when the file
    /// cannot be opened and written, or another process holds it for too long; `Unsupported` for a
    /// file of another application, one written by a newer version, one on which a write-ahead log
    /// is not possible, or a SQLite library before 3.51.3; `Corrupt` for a file that is not a
    /// database; `Invalid` for `:memory:` and for URIs, which are no paths.
    pub async fn open(config: SqliteConfig) -> std::result::Result<Self, StoreError> {
        if config.sealing.is_none() {
            tracing::warn!("no sealing key was given: secrets of webhooks are stored in plaintext");
        }
        tokio::task::spawn_blocking(move || Self::open_blocking(config))
            .await
            .map_err(|e| unavailable("opening was cancelled").with_source(e))?
    }

    /// Returns the number of writes so far, for a metric of commands per commit.
    #[must_use]
    pub fn commits(&self) -> Commits {
        let counts = &self.writer.counts;
        Commits {
            commits: counts.commits.load(Ordering::Relaxed),
            commands: counts.commands.load(Ordering::Relaxed),
        }
    }

    /// Stops the writer when it has run all commands that it received, and closes the file. Later
    /// calls are `Unavailable`, on every clone.
    pub async fn close(&self) {
        self.writer.close().await;
        self.readers.close();
        self.watch.close();
    }

    /// Writes a copy of the whole database to `to`, at one point in time within the call, while it
    /// is used. No call waits for it, but the log next to the file grows until it is complete. When
    /// this returns, the copy is on disk; only its owner has access (0600). It is compact, and is
    /// opened like any other file. Its secrets are sealed as they are here. It holds the data that
    /// a restart would find: deliveries that are being sent are in it as claimed.
    ///
    /// # Errors
    /// `Conflict` when the file exists: none is replaced. `Unavailable` when the disk fails or is
    /// full, or the store is closed: then there is no file `to`.
    pub async fn back_up(&self, to: impl Into<PathBuf>) -> std::result::Result<(), StoreError> {
        self.readers.back_up(to.into()).await
    }

    fn open_blocking(config: SqliteConfig) -> Answer<Self> {
        let opened = || -> Result<(Connection, Connection)> {
            connection::check_library(rusqlite::version_number())?;
            connection::check_path(&config.path)?;
            let mut writer = connection::writer(&config)?;
            migrate::migrate(&mut writer).map_err(|failure| failure.of_file(&config.path))?;
            files::report(&config.path);
            Ok((writer, connection::reader(&config)?))
        };
        let (writer, watch) = opened()?;
        let own = Arc::new(Own::default());
        Ok(Self {
            sealing: Arc::clone(&config.sealing),
            readers: Readers::new(config.clone()),
            watch: Arc::new(Watch::new(watch, Arc::clone(&own))),
            writer: Writer::start(config, writer, own)?,
        })
    }

    /// Returns the connection that sees the changes of all processes.
    pub(crate) fn watch(&self) -> &Watch {
        &self.watch
    }

    /// Returns the keys that seal the secrets of webhooks.
    pub(crate) fn sealing(&self) -> &Arc<SealingKeys> {
        &self.sealing
    }

    /// Runs `work` in a write transaction; see [`Writer::run`].
    pub(crate) async fn write<T, F>(&self, work: F) -> Answer<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T> + Send + 'static,
    {
        self.writer.run(work).await
    }

    /// Runs `work` in the batch of a commit; see [`Writer::run_in_batch`].
    pub(crate) async fn write_in_batch<T, F>(&self, work: F) -> Answer<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection, &mut Batch) -> Result<T> + Send + 'static,
    {
        self.writer.run_in_batch(work).await
    }

    /// Runs `read` in a read transaction; see [`Readers::run`].
    pub(crate) async fn read<T, F>(&self, read: F) -> Answer<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T> + Send + 'static,
    {
        self.readers.run(read).await
    }
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteStore").finish_non_exhaustive()
    }
}
