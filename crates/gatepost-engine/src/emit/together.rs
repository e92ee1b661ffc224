//! What is decided one after the other and stored in one go.

use gatepost_storage::StoreError;
use gatepost_storage::webhooks::{Enqueue, Enqueued};

use super::draft::Draft;
use super::emitter::Emitter;
use super::plan::Spent;
use crate::config::EmitLimits;
use crate::error::EmitError;

/// What is stored in one commit, at most: others wait for the store that long.
const AT_ONCE: usize = 256;

/// What is decided and not stored yet: together about as much as one emit may store.
#[derive(Debug)]
pub(super) struct Set<T> {
    /// One for each enqueue.
    pub items: Vec<T>,
    pub enqueues: Vec<Enqueue>,
    /// What they will use.
    pub spent: Spent,
    deliveries: usize,
    bytes: usize,
}

impl<T> Default for Set<T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            enqueues: Vec::new(),
            spent: Spent::default(),
            deliveries: 0,
            bytes: 0,
        }
    }
}

impl<T> Set<T> {
    pub(super) fn is_full(&self, limits: &EmitLimits) -> bool {
        self.enqueues.len() >= AT_ONCE
            || self.deliveries >= limits.deliveries
            || self.bytes >= limits.bytes
    }

    pub(super) fn push(&mut self, item: T, enqueue: Enqueue) {
        self.items.push(item);
        self.enqueues.push(enqueue);
    }

    /// What a draft will use counts from now on.
    pub(super) fn count(&mut self, draft: &Draft) {
        let (deliveries, bytes) = draft.size();
        self.deliveries += deliveries;
        self.bytes += bytes;
        self.spent.merge(draft.used());
    }
}

impl Emitter {
    /// An answer for each, in order.
    pub(super) async fn store_all(
        &self,
        enqueues: Vec<Enqueue>,
    ) -> Result<Vec<Result<Enqueued, StoreError>>, EmitError> {
        let now = self.core.clock.now()?;
        Ok(match enqueues.is_empty() {
            true => Vec::new(),
            false => self.core.store.enqueue_all(enqueues, now).await,
        })
    }
}
