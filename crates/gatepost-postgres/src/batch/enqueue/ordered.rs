//! Which webhooks' rows have to be looked at before the locks of a batch are tried.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use gatepost_storage::webhooks::{Basis, RecordId};

use super::columns::Item;

/// More than this many are not remembered.
const MOST: usize = 10_000;

/// Those that were in order, or in no place that their enqueue named, when that was tried last. One
/// that is not remembered costs its enqueue a second try, one that is a lookup.
#[derive(Debug, Default)]
pub(super) struct Ordered {
    webhooks: Mutex<HashSet<i64>>,
}

impl Ordered {
    /// An enqueue was left for want of a lock.
    pub(super) fn note(&self, (batch, _): &Item) {
        let mut webhooks = self.lock();
        if webhooks.len() >= MOST {
            webhooks.clear();
        }
        webhooks.extend(batch.deliveries.iter().map(|new| new.webhook.0));
    }

    /// The webhooks of these enqueues whose locks are not known without a look, each once.
    pub(super) fn to_look_up(&self, items: &[&Item]) -> Vec<i64> {
        let known = self.lock();
        let mut found = Vec::new();
        for (batch, _) in items {
            let webhooks = batch.deliveries.iter().map(|new| new.webhook.0);
            match &batch.basis {
                Basis::Places(_) => found.extend(webhooks.filter(|id| known.contains(id))),
                Basis::Nothing => found.extend(webhooks),
                Basis::Rows(rows) => {
                    found.extend(webhooks);
                    found.extend(rows.iter().filter_map(|(record, _)| match record {
                        RecordId::Webhook(id) => Some(id.0),
                        RecordId::Task(_) | RecordId::Event(_) => None,
                    }));
                }
            }
        }
        drop(known);
        found.sort_unstable();
        found.dedup();
        found
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<i64>> {
        self.webhooks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
