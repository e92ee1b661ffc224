//! Which webhooks' locks are tried with a batch.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::columns::{Item, webhooks};

/// More than this many are not remembered.
const MOST: usize = 10_000;

/// Those that were in order, when that was tried last. One that is not remembered costs its
/// enqueue a second try, one that is a lookup.
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

    /// Those that these enqueues are for, each once.
    pub(super) fn among(&self, items: &[&Item]) -> Vec<i64> {
        let (mut webhooks, known) = (webhooks(items), self.lock());
        webhooks.retain(|id| known.contains(id));
        webhooks
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<i64>> {
        self.webhooks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
