//! What is decided one after the other and stored in one go.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use gatepost_ids::Audience;
use gatepost_storage::StoreError;
use gatepost_storage::webhooks::{Enqueue, Enqueued, OpenOutbox, Origin};

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
    /// The audiences of those that are rows of the outbox, or leave some.
    rows: HashSet<Audience>,
    /// Rows of the outbox that were read for one of them and are ahead of the others, too.
    pub open: HashMap<Audience, Arc<[OpenOutbox]>>,
    deliveries: usize,
    bytes: usize,
}

impl<T> Default for Set<T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            enqueues: Vec::new(),
            spent: Spent::default(),
            rows: HashSet::new(),
            open: HashMap::new(),
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

    /// Whether what is in it can be overtaken by nothing that has this audience.
    pub(super) fn is_clear(&self, audience: Audience) -> bool {
        !self.rows.contains(&audience)
    }

    pub(super) fn push(&mut self, item: T, audience: Audience, enqueue: Enqueue) {
        if !enqueue.later.is_empty() || matches!(enqueue.origin, Origin::Outbox { .. }) {
            self.rows.insert(audience);
        }
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
