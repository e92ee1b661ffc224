//! What one transaction is about to store, and what is needed once it is stored.

use std::collections::BTreeMap;

use gatepost_storage::webhooks::{DropReason, NewDelivery};
use webhook_model::{MAX_RENDERED, OwnerId, RenderError, TaskId, WebhookId};

use super::launcher::Slip;
use super::plan::Spent;
use crate::config::EmitLimits;
use crate::judge::Headroom;
use crate::routes::MatchedTask;

/// Deliveries that are counted instead of stored.
pub(super) type Drops = BTreeMap<(OwnerId, WebhookId, DropReason), u64>;

/// Whether a message is part of the bite.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Fits {
    Yes,
    /// Its owner has had enough.
    Dropped,
    /// The bite is full.
    No,
}

#[derive(Debug, Default)]
pub(super) struct Bite {
    /// Until they are handed to the store.
    pub deliveries: Vec<NewDelivery>,
    /// One for each delivery.
    pub slips: Vec<Slip>,
    /// One-time tasks.
    pub consume: Vec<TaskId>,
    /// Tasks that are decided later, and their owners.
    pub later: BTreeMap<TaskId, OwnerId>,
    pub unrendered: Vec<(TaskId, RenderError)>,
    /// What the messages of an owner took that were too large to be made.
    too_large: BTreeMap<OwnerId, usize>,
    pub dropped: Drops,
    /// What these deliveries use.
    pub used: Spent,
    /// Of their messages.
    pub bytes: usize,
}

impl Bite {
    /// With room for this many deliveries.
    pub(super) fn of(most: usize) -> Self {
        Self {
            deliveries: Vec::with_capacity(most),
            slips: Vec::with_capacity(most),
            ..Self::default()
        }
    }

    /// Whether the occurrence has made all that it may for this owner: nothing is rendered then.
    pub(super) fn is_spent(&self, owner: OwnerId, before: &Spent, limits: &EmitLimits) -> bool {
        let too_large = self.too_large.get(&owner).copied().unwrap_or(0);
        let made = before.of(owner).bytes + self.used.of(owner).bytes;
        made + too_large >= limits.bytes_per_owner
    }

    /// A message cannot be rendered. One that is too large counts as the largest that there may
    /// be: it took as long.
    pub(super) fn failed(&mut self, task: &MatchedTask, error: RenderError) {
        if error == RenderError::TooLarge {
            *self.too_large.entry(task.owner()).or_default() += MAX_RENDERED;
        }
        self.unrendered.push((task.id(), error));
    }

    /// Whether there is room for a message of this task: in the bite, in what the occurrence may
    /// make for its owner, and in what may wait for the owner.
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
            self.drop_task(task, DropReason::Occurrence);
            return Fits::Dropped;
        }
        if (here + bytes) as u64 > room.bytes {
            self.drop_task(task, DropReason::Waiting);
            return Fits::Dropped;
        }
        // One message fits in any case: otherwise nothing would ever come of it.
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

    pub(super) fn drop_task(&mut self, task: &MatchedTask, reason: DropReason) {
        let key = (task.owner(), task.webhook.id, reason);
        *self.dropped.entry(key).or_default() += 1;
    }

    /// Whether nothing of it has to be stored.
    pub(super) fn is_empty(&self) -> bool {
        self.deliveries.is_empty() && self.later.is_empty()
    }
}
