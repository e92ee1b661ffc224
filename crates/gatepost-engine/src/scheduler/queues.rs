//! The queues of a webhook, and how many deliveries wait in each.

use std::num::NonZeroU32;

use gatepost_ids::Place;
use tokio::time::Instant;
use webhook_model::{OwnerId, WebhookId};

/// Queues that have one place among those that are ready: first attempts and retries share it.
pub(super) const LINES: usize = 3;

/// The queues of a webhook.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum QueueClass {
    /// Deliveries without an attempt yet.
    First,
    /// Deliveries with at least one attempt.
    Retry,
    /// Deliveries whose claim was lost twice. A sixteenth of all slots is theirs.
    Lost,
    /// Deliveries whose claim was lost as they were sent from [`Lost`](Self::Lost). One slot, so
    /// that the next lost claim is proof.
    Quarantine,
}

/// A webhook, as far as its turns depend on it.
#[derive(Clone, Debug)]
pub(crate) struct Webhook {
    pub id: WebhookId,
    pub owner: OwnerId,
    pub place: Place,
    /// One request at a time.
    pub in_order: bool,
    /// Requests a second, in all processes.
    pub rate: Option<NonZeroU32>,
}

/// How many deliveries wait in a queue.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Count {
    /// This many came.
    Added(u32),
    /// The store has at least this many.
    AtLeast(u32),
}

/// What the webhook's row says of its last attempts. It is only used if the webhook is unknown in
/// this process.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Record {
    /// Not tried, or nothing is known.
    New,
    /// The last attempt was answered.
    Answered,
    /// It has been failing.
    Failing,
}

/// What is known of a queue that has something to send.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    pub count: Count,
    /// When the first of them was due.
    pub due: Instant,
    pub record: Record,
    /// The hold that is stored beside the webhook: nothing is sent before then.
    pub hold: Option<Instant>,
}

/// What waits for one webhook.
#[derive(Debug, Default)]
pub(super) struct Queues {
    of: [Queue; 4],
    /// Whether a retry goes next, if both wait.
    retry_next: bool,
    /// Deliveries that become due later.
    due: u32,
    /// Nothing is sent of it until something is ready again.
    pub(super) left: bool,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: u32,
    added: Option<Instant>,
}

/// The line of a queue.
pub(super) fn line_of(queue: QueueClass) -> usize {
    match queue {
        QueueClass::First | QueueClass::Retry => 0,
        QueueClass::Lost => 1,
        QueueClass::Quarantine => 2,
    }
}

impl Queues {
    /// What goes next in a line. In order, only the head of all queues does: a retry before any
    /// first attempt, even while it is not due.
    pub(super) fn next(&self, line: usize, in_order: bool) -> Option<QueueClass> {
        use QueueClass::{First, Lost, Quarantine, Retry};
        let waits = |queue: &QueueClass| self.waiting(*queue) > 0;
        if in_order {
            let head = [Quarantine, Lost, Retry].into_iter().find(waits);
            let first = Some(First).filter(|first| waits(first) && self.due == 0);
            return head.or(first).filter(|head| line_of(*head) == line);
        }
        let queues = match line {
            0 if self.retry_next => [Retry, First],
            0 => [First, Retry],
            1 => [Lost; 2],
            _ => [Quarantine; 2],
        };
        queues.into_iter().find(waits)
    }

    pub(super) fn has_waiting(&self) -> bool {
        self.of.iter().any(|queue| queue.waiting > 0)
    }

    pub(super) fn waiting(&self, queue: QueueClass) -> u32 {
        self.of[queue as usize].waiting
    }

    pub(super) fn add(&mut self, queue: QueueClass, count: Count, now: Instant) {
        let queue = &mut self.of[queue as usize];
        queue.waiting = match count {
            Count::Added(count) => queue.waiting.saturating_add(count),
            Count::AtLeast(count) => queue.waiting.max(count),
        };
        queue.added = Some(now);
        self.left = false;
    }

    /// One becomes due later.
    pub(super) fn add_later(&mut self) {
        self.due = self.due.saturating_add(1);
    }

    /// This number of them are due. Nothing is, once all was left.
    pub(super) fn fall_due(&mut self, queue: QueueClass, count: u32, now: Instant) {
        self.due = self.due.saturating_sub(count);
        if !self.left {
            self.add(queue, Count::Added(count), now);
        }
    }

    /// One of this queue is sent.
    pub(super) fn take(&mut self, queue: QueueClass) {
        let waiting = &mut self.of[queue as usize].waiting;
        *waiting = waiting.saturating_sub(1);
        self.retry_next = queue == QueueClass::First;
    }

    /// A claim by a permit of that time found nothing more, unless more came since.
    pub(super) fn emptied(&mut self, queue: QueueClass, given: Instant) {
        let queue = &mut self.of[queue as usize];
        if queue.added.is_none_or(|added| added < given) {
            queue.waiting = 0;
        }
    }

    pub(super) fn clear(&mut self) {
        self.of = Default::default();
    }

    /// Nothing is to be sent, whatever becomes due.
    pub(super) fn leave(&mut self) {
        (self.left, self.due) = (true, 0);
        self.clear();
    }
}
