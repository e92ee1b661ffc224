//! The table of API keys and its indexes.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::atomic::{AtomicI64, Ordering};

use apikey_core::{KeyId, LookupId, OwnerId};

use super::rows::Counter;
use crate::keys::KeyRow;

/// How many changes are remembered. Whoever asks for older ones has to forget all keys.
const CHANGES_KEPT: usize = 1024;

#[derive(Debug, Default)]
pub(super) struct KeyTable {
    pub(super) ids: Counter,
    pub(super) rows: BTreeMap<KeyId, KeyRow>,
    pub(super) by_lookup: HashMap<LookupId, KeyId>,
    pub(super) by_name: HashMap<(OwnerId, String), KeyId>,
    pub(super) changes: VecDeque<LookupId>,
}

impl KeyTable {
    pub(super) fn name_taken(&self, row: &KeyRow) -> bool {
        self.by_name
            .get(&name_of(row))
            .is_some_and(|id| *id != row.id)
    }

    pub(super) fn changed(&mut self, lookup: LookupId, generation: &AtomicI64) {
        self.changes.push_back(lookup);
        if self.changes.len() > CHANGES_KEPT {
            self.changes.pop_front();
        }
        generation.fetch_add(1, Ordering::AcqRel);
    }
}

pub(super) fn name_of(row: &KeyRow) -> (OwnerId, String) {
    (row.key.owner, row.key.name.as_str().to_owned())
}
