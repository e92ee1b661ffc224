//! Drafts that are decided one after the other and stored in one transaction.

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

/// The maximum number of drafts in one commit: other writers wait that long.
const AT_ONCE: usize = 256;

/// Drafts that are not stored yet: together about as much as one emit may store.
#[derive(Debug)]
pub(super) struct Set<T> {
    /// One for each enqueue.
    pub items: Vec<T>,
    pub enqueues: Vec<Enqueue>,
    /// The resources that they will use.
    pub spent: Spent,
    /// The audiences of drafts that are rows of the outbox, or leave some.
    rows: HashSet<Audience>,
    /// Rows of the outbox that were read for one draft and are ahead of the others, too.
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

    /// Whether nothing with this audience can overtake the drafts of the set.
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

    /// Counts a draft's resources as used.
    pub(super) fn count(&mut self, draft: &Draft) {
        let (deliveries, bytes) = draft.size();
        self.deliveries += deliveries;
        self.bytes += bytes;
        self.spent.merge(draft.used());
    }
}

impl Emitter {
    /// Stores all. Returns an answer for each, in order.
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
