//! The store itself.

use std::fmt;
use std::sync::Arc;

use gatepost_storage::StoreError;
use gatepost_storage::keys::{KeyGeneration, KeyShard};
use gatepost_storage::seal::SealingKeys;

use super::error::{Outcome, answered, store_error};
use super::generations::Generations;
use super::tx::Tx;
use super::writer::{Answer, Writer};
use super::{generations, tables, version};
use crate::contract::{Kv, Shared, View};
use crate::error::KvError;
use crate::memory::MemoryKv;
use crate::run::KvExt as _;

/// A store of Gatepost in an ordered key-value store.
pub struct KvStore {
    kv: Arc<dyn Kv>,
    writer: Writer,
    pub(super) generations: Arc<Generations>,
    pub(super) sealing: Arc<SealingKeys>,
}

/// A store in memory, which keeps nothing: for tests and tools.
///
/// ```
/// use std::sync::Arc;
/// let store: Arc<dyn gatepost_storage::KeyStore> = Arc::new(gatepost_kv::MemoryStore::new());
/// # let _ = store;
/// ```
pub type MemoryStore = KvStore;

impl KvStore {
    /// Returns an empty store in memory, which keeps nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl Default for KvStore {
    fn default() -> Self {
        let kv: Arc<dyn Kv> = Arc::new(MemoryKv::of(tables::ALL));
        let generations = Arc::new(Generations::default());
        Self {
            writer: Writer::at_once(kv.clone(), generations.clone()),
            kv,
            generations,
            sealing: Arc::new(SealingKeys::none()),
        }
    }
}

impl KvStore {
    /// Opens the store in `kv`, which may be empty.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`; `Unsupported` if a later version of Gatepost has written to it.
    pub fn open(kv: impl Kv) -> Result<Self, StoreError> {
        Self::open_sealed(kv, SealingKeys::none())
    }

    /// Opens the store and seals the secrets of webhooks under the current one of these keys.
    ///
    /// # Errors
    /// The same as those of [`open`](Self::open).
    pub fn open_sealed(kv: impl Kv, sealing: SealingKeys) -> Result<Self, StoreError> {
        let kv: Arc<dyn Kv> = Arc::new(kv);
        kv.prepare(tables::ALL).map_err(|e| store_error(&e))?;
        version::claim(&*kv)?;
        let failed = |e| store_error(&KvError::unavailable(e));
        let generations = Arc::new(Generations::default());
        let writer = Writer::start(kv.clone(), generations.clone()).map_err(failed)?;
        let store = Self {
            kv,
            writer,
            generations,
            sealing: Arc::new(sealing),
        };
        store.hear()?;
        Ok(store)
    }

    /// Reads the stored generations.
    fn hear(&self) -> Result<(), StoreError> {
        let read = self.kv.read(|view| {
            let read = (0..=u8::MAX).map(|shard| generations::stored(view, shard));
            answered(read.collect::<Outcome<Vec<_>>>())
        });
        for (shard, generation) in (0..=u8::MAX).zip(read.map_err(|e| store_error(&e))??) {
            self.generations
                .set(KeyShard(shard), KeyGeneration(generation));
        }
        Ok(())
    }

    pub(super) async fn write<T: Send + 'static>(
        &self,
        work: impl FnMut(&mut Tx<'_>) -> Outcome<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.submit(work).await.get().await
    }

    /// Queues a command; its answer is sent after its commit.
    pub(super) async fn submit<T: Send + 'static>(
        &self,
        work: impl FnMut(&mut Tx<'_>) -> Outcome<T> + Send + 'static,
    ) -> Answer<T> {
        self.writer.submit(work).await
    }

    /// Returns whether no other process writes to the store.
    pub(super) fn is_alone(&self) -> bool {
        self.kv.shared() == Shared::OneProcess
    }

    /// Returns when it is time to check for writes of other processes; never if there are none.
    pub(super) async fn others_may_have_written(&self) {
        match self.kv.shared() {
            Shared::OneProcess => std::future::pending().await,
            Shared::Processes { poll } => tokio::time::sleep(poll).await,
        }
    }

    /// Reads one snapshot. `read` may run again.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        mut read: impl FnMut(&dyn View) -> Outcome<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let kv = self.kv.clone();
        let mut reading = move || {
            let found = kv.read(|view| answered(read(view)));
            found.map_err(|e| store_error(&e))?
        };
        if !self.kv.waits() {
            return reading();
        }
        match tokio::task::spawn_blocking(reading).await {
            Ok(read) => read,
            Err(error) => Err(store_error(&KvError::unavailable(error))),
        }
    }
}

impl fmt::Debug for KvStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KvStore").finish_non_exhaustive()
    }
}
