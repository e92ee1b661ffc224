//! The file, and the two kinds of transaction.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use gatepost_storage::seal::SealingKeys;
use gatepost_storage::{ErrorKind, StoreError};
use redb::{Database, ReadTransaction, ReadableDatabase as _};

use super::error::{Answer, failed, panicked};
use super::tables::Tx;

/// The version of the file's format. A newer one is refused.
const SCHEMA: i64 = 1;

/// A store in one redb file, which this process has for itself.
#[derive(Clone)]
pub(crate) struct RedbStore {
    pub(super) db: Arc<Database>,
    sealing: Arc<SealingKeys>,
    /// No other process can change keys, so the generation is known without reading the file.
    pub(super) generation: Arc<AtomicI64>,
}

impl RedbStore {
    /// Opens the file, or makes it. Secrets of webhooks are sealed under these keys.
    ///
    /// # Errors
    /// `Unavailable` when it cannot be opened, or another process has it; `Unsupported` when a
    /// newer version wrote it.
    pub(crate) async fn open(path: impl Into<PathBuf>, sealing: SealingKeys) -> Answer<Self> {
        let path = path.into();
        let opened = tokio::task::spawn_blocking(move || Database::create(path)).await;
        let db = opened.map_err(panicked)?.map_err(failed)?;
        let store = Self {
            db: Arc::new(db),
            sealing: Arc::new(sealing),
            generation: Arc::default(),
        };
        let generation = store
            .write(|tx| {
                tx.make_tables()?;
                match tx.counter("schema")? {
                    0 => tx.set_counter("schema", SCHEMA)?,
                    SCHEMA => {}
                    _ => {
                        return Err(StoreError::new(
                            ErrorKind::Unsupported,
                            "the file was written by a newer version",
                        ));
                    }
                }
                tx.counter("key_generation")
            })
            .await?;
        store.generation.store(generation, Ordering::Release);
        Ok(store)
    }

    /// Runs `act` in a transaction that is committed if it ends well.
    pub(super) async fn write<T, F>(&self, act: F) -> Answer<T>
    where
        T: Send + 'static,
        F: FnOnce(&Tx) -> Answer<T> + Send + 'static,
    {
        let store = self.clone();
        let done = tokio::task::spawn_blocking(move || {
            let tx = Tx::begin(&store.db, store.sealing.clone())?;
            let answer = act(&tx)?;
            let generation = tx.counter("key_generation")?;
            tx.commit()?;
            store.generation.fetch_max(generation, Ordering::AcqRel);
            Ok(answer)
        });
        done.await.map_err(panicked)?
    }

    /// Runs `act` on the current state, concurrently with any writer.
    pub(super) async fn read<T, F>(&self, act: F) -> Answer<T>
    where
        T: Send + 'static,
        F: FnOnce(&ReadTransaction, &SealingKeys) -> Answer<T> + Send + 'static,
    {
        let store = self.clone();
        let done = tokio::task::spawn_blocking(move || {
            let tx = store.db.begin_read().map_err(failed)?;
            act(&tx, &store.sealing)
        });
        done.await.map_err(panicked)?
    }
}

impl fmt::Debug for RedbStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RedbStore")
    }
}
