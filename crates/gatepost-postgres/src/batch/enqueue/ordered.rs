//! The webhooks whose locks are tried with a batch.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::columns::{Item, webhooks};

/// The maximum number of webhooks that are remembered.
const MOST: usize = 10_000;

/// The webhooks that delivered in order at the last attempt. If one is missing here, its enqueue
/// needs a second attempt; if one no longer delivers in order, it costs a lookup.
#[derive(Debug, Default)]
pub(super) struct Ordered {
    webhooks: Mutex<HashSet<i64>>,
}

impl Ordered {
    /// Remembers the webhooks of an enqueue that was left because a lock was missing.
    pub(super) fn note(&self, (batch, _): &Item) {
        let mut webhooks = self.lock();
        if webhooks.len() >= MOST {
            webhooks.clear();
        }
        webhooks.extend(batch.deliveries.iter().map(|new| new.webhook.0));
    }

    /// Returns the remembered ones among the webhooks of these enqueues, each once.
    pub(super) fn among(&self, items: &[&Item]) -> Vec<i64> {
        let (mut webhooks, known) = (webhooks(items), self.lock());
        webhooks.retain(|id| known.contains(id));
        webhooks
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<i64>> {
        self.webhooks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
