//! Keys in memory, never older than the store says.
//!
//! Before each use the store is asked for the generation of the key's slice, which moves with every
//! edit and deletion of a key of that slice by anyone. An entry is used only while its slice is at
//! that very generation; otherwise the changes are fetched and the changed keys forgotten first. A
//! lookup that was under way at that time may not put back what it had read before: it notes the
//! slice's epoch when it begins, and an entry is taken only if the epoch is still the same.
//!
//! What one owner edits empties nothing of others: an edit moves one slice of 256, of which the
//! edited key alone is forgotten. An owner has at most a hundredth of all entries.

mod entries;
mod owners;
mod slice;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use apikey_core::LookupId;
pub(crate) use entries::Held;
use gatepost_storage::keys::KeySlice;
use gatepost_storage::{KeyStore, StoreError};
use owners::Owners;
pub(crate) use slice::Epoch;
use slice::Slice;

use crate::entry::Entry;

/// One owner may have one part in this many of all entries.
const OWNERS_PART: usize = 100;

/// A bounded cache.
#[derive(Debug)]
pub(crate) struct Cache {
    slices: Box<[Slice]>,
    owners: Owners,
}

impl Cache {
    pub(crate) fn new(capacity: usize) -> Self {
        let each = capacity.div_ceil(KeySlice::COUNT).max(1);
        let slices = (0..=u8::MAX).map(|number| Slice::new(KeySlice(number), each));
        Self {
            slices: slices.collect(),
            owners: Owners::new((capacity / OWNERS_PART).max(1)),
        }
    }

    /// Whether the entry of this key may be used now: the generation of its slice is known and is
    /// the one that the slice is at.
    #[inline]
    pub(crate) fn is_current(&self, key: LookupId, store: &dyn KeyStore) -> bool {
        self.slice(key).is_current(store)
    }

    /// Forgets what was changed in the slice of this key. `false` when the store cannot tell: the
    /// cache must not be used.
    pub(crate) async fn sync(
        &self,
        key: LookupId,
        store: &dyn KeyStore,
    ) -> Result<bool, StoreError> {
        self.slice(key).sync(store, &self.owners).await
    }

    /// To be taken before a record is read that [`insert`](Self::insert) is to take.
    pub(crate) fn epoch(&self, key: LookupId) -> Epoch {
        self.slice(key).epoch()
    }

    /// Takes an entry, unless its slice was changed since the epoch, or its owner has as many as
    /// one may. Returns the one to use from now on: this one, or the one that is there already.
    pub(crate) fn insert(&self, entry: Arc<Entry>, epoch: Epoch) -> Arc<Entry> {
        let slice = self.slice(entry.lookup());
        slice.insert(entry, epoch, &self.owners)
    }

    /// The entry of a key, if there is one.
    #[inline]
    pub(crate) fn get(&self, key: LookupId) -> Held {
        self.slice(key).entries.get(key)
    }

    #[inline]
    fn slice(&self, key: LookupId) -> &Slice {
        &self.slices[usize::from(KeySlice::of(key).0)]
    }
}
