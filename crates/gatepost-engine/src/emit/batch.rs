//! A batch: the content of one transaction, and the data needed after it.

use std::collections::BTreeMap;

use gatepost_storage::webhooks::{NewDelivery, RejectReason};
use webhook_model::{MAX_RENDERED, OwnerId, RenderError, TaskId, WebhookId};

use super::launcher::Slip;
use super::plan::Spent;
use crate::access::Headroom;
use crate::config::EmitLimits;
use crate::routes::MatchedTask;

/// Deliveries that are counted instead of stored.
pub(super) type RejectedTasks = BTreeMap<(OwnerId, WebhookId, RejectReason), u64>;

/// Whether a message is part of the batch.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Fits {
    Yes,
    /// Its owner's limit is reached.
    Rejected,
    /// The batch is full.
    No,
}

#[derive(Debug, Default)]
pub(super) struct Batch {
    /// The deliveries, until they are handed to the store.
    pub deliveries: Vec<NewDelivery>,
    /// One for each delivery.
    pub slips: Vec<Slip>,
    /// One-time tasks.
    pub consume: Vec<TaskId>,
    /// Tasks that are decided later, with their owners.
    pub later: BTreeMap<TaskId, OwnerId>,
    pub unrendered: Vec<(TaskId, RenderError)>,
    /// The bytes, by owner, that were read or rendered and are not stored.
    wasted: BTreeMap<OwnerId, usize>,
    pub rejected: RejectedTasks,
    /// The resources that these deliveries use.
    pub used: Spent,
    /// The bytes of their messages.
    pub bytes: usize,
}

impl Batch {
    /// Returns an empty batch with capacity for this many deliveries.
    pub(super) fn of(most: usize) -> Self {
        Self {
            deliveries: Vec::with_capacity(most),
            slips: Vec::with_capacity(most),
            ..Self::default()
        }
    }

    /// Whether the occurrence has reached its limit for this owner, so that rendering can stop.
    pub(super) fn is_spent(&self, owner: OwnerId, before: &Spent, limits: &EmitLimits) -> bool {
        let wasted = self.wasted.get(&owner).copied().unwrap_or(0);
        let made = before.of(owner).bytes + self.used.of(owner).bytes;
        made + wasted >= limits.bytes_per_owner
    }

    /// Counts a message that cannot be rendered. One that is too large counts as the largest
    /// allowed: it took as long.
    pub(super) fn failed(&mut self, task: &MatchedTask, error: RenderError) {
        if error == RenderError::TooLarge {
            self.waste(task.owner(), MAX_RENDERED);
        }
        self.unrendered.push((task.id(), error));
    }

    /// Counts bytes that were read or rendered for an owner and are not stored.
    pub(super) fn waste(&mut self, owner: OwnerId, bytes: usize) {
        if bytes > 0 {
            *self.wasted.entry(owner).or_default() += bytes;
        }
    }

    /// Whether a message of this task fits: into the batch, into the occurrence's limit for its
    /// owner, and into the owner's queue limit.
    pub(super) fn fits(
        &mut self,
        task: &MatchedTask,
        bytes: usize,
        before: &Spent,
        limits: &EmitLimits,
        room: Headroom,
    ) -> Fits {
        let owner = task.owner();
        let here = self.used.of(owner).bytes;
        if before.of(owner).bytes + here + bytes > limits.bytes_per_owner {
            self.waste(owner, bytes);
            self.reject_task(task, RejectReason::Occurrence);
            return Fits::Rejected;
        }
        if (here + bytes) as u64 > room.bytes {
            self.waste(owner, bytes);
            self.reject_task(task, RejectReason::Waiting);
            return Fits::Rejected;
        }
        // One message fits in any case, as otherwise no progress would be possible.
        if self.bytes + bytes > limits.bytes && !self.deliveries.is_empty() {
            return Fits::No;
        }
        Fits::Yes
    }

    pub(super) fn push(&mut self, task: &MatchedTask, delivery: NewDelivery, slip: Slip) {
        let bytes = delivery.body.len();
        self.bytes += bytes;
        self.used.add(task.owner(), 1, bytes);
        if task.task.once {
            self.consume.push(task.id());
        }
        self.deliveries.push(delivery);
        self.slips.push(slip);
    }

    pub(super) fn reject_task(&mut self, task: &MatchedTask, reason: RejectReason) {
        let key = (task.owner(), task.webhook.id, reason);
        *self.rejected.entry(key).or_default() += 1;
    }

    /// Whether it needs no transaction.
    pub(super) fn is_empty(&self) -> bool {
        self.deliveries.is_empty() && self.later.is_empty()
    }
}
