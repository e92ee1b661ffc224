//! The file, and the two kinds of transaction.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use gatepost_storage::keys::KeySlice;
use gatepost_storage::seal::SealingKeys;
use gatepost_storage::{ErrorKind, StoreError};
use redb::{Database, ReadTransaction, ReadableDatabase as _};

use super::error::{Answer, failed, panicked};
use super::tables::Tx;

/// The version of the file's format. Another one is refused.
const SCHEMA: i64 = 3;

/// A store in one redb file, which this process has for itself.
#[derive(Clone)]
pub(crate) struct RedbStore {
    pub(super) db: Arc<Database>,
    sealing: Arc<SealingKeys>,
    /// No other process can change keys, so the generation of each slice is known without reading
    /// the file.
    generations: Arc<[AtomicI64; KeySlice::COUNT]>,
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
            generations: Arc::new([const { AtomicI64::new(0) }; KeySlice::COUNT]),
        };
        let generations = store
            .write(|tx| {
                tx.make_tables()?;
                match tx.counter("schema")? {
                    0 => tx.set_counter("schema", SCHEMA)?,
                    SCHEMA => {}
                    _ => {
                        return Err(StoreError::new(
                            ErrorKind::Unsupported,
                            "the file was written by another version",
                        ));
                    }
                }
                let slices = (0..=u8::MAX).map(KeySlice);
                slices
                    .map(|slice| Ok((slice, tx.counter(&slice_name(slice))?)))
                    .collect::<Answer<Vec<_>>>()
            })
            .await?;
        store.moved(&generations);
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
            let moved = tx.moved.take();
            tx.commit()?;
            store.moved(&moved);
            Ok(answer)
        });
        done.await.map_err(panicked)?
    }

    /// The generation of a slice of the keys.
    pub(super) fn generation(&self, slice: KeySlice) -> i64 {
        let generation = self.generations.get(usize::from(slice.0));
        generation.map_or(0, |generation| generation.load(Ordering::Acquire))
    }

    fn moved(&self, slices: &[(KeySlice, i64)]) {
        for (slice, generation) in slices {
            if let Some(known) = self.generations.get(usize::from(slice.0)) {
                known.fetch_max(*generation, Ordering::AcqRel);
            }
        }
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

/// The counter that has the generation of a slice.
pub(super) fn slice_name(slice: KeySlice) -> String {
    format!("slice/{}", slice.0)
}

impl fmt::Debug for RedbStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RedbStore")
    }
}
