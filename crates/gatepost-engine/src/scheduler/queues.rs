//! The queues of a webhook, and how many deliveries wait in each.

use std::num::NonZeroU32;

use gatepost_ids::Realm;
use gatepost_storage::Revision;
use gatepost_storage::webhooks::QueueClass;
use tokio::time::Instant;
use webhook_model::{OwnerId, WebhookId};

/// This number is asked for at a time, at most, where it is not known how many wait.
const CLAIMED: u32 = 64;

/// Queues that have one place among those that are ready: first attempts and retries share it.
pub(super) const LINES: usize = 3;

/// A webhook, as far as its turns depend on it.
#[derive(Clone, Debug)]
pub(crate) struct Webhook {
    pub id: WebhookId,
    pub owner: OwnerId,
    pub place: Realm,
    /// At which something was queued for it.
    pub revision: Revision,
    /// `None`: not read. What is known stays.
    pub settings: Option<Settings>,
}

/// What a webhook's owner has chosen of how it sends.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Settings {
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

/// What is known of a webhook's last attempts that is not known in this process.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Record {
    /// Not tried, or nothing is known.
    New,
    /// What waits was due before this process began: it is taken for one that responds.
    Before,
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
}

/// What waits for one webhook.
#[derive(Debug, Default)]
pub(super) struct Queues {
    of: [Queue; 4],
    /// Whether a retry goes next, if both wait.
    retry_next: bool,
    /// Nothing is sent of it until something is ready again.
    pub(super) left: bool,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: u32,
    /// When something was added last.
    added: u64,
    /// There may be more than was counted.
    more: bool,
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
    /// What goes next in a line. In order, only the head of all queues does.
    pub(super) fn next(&self, line: usize, in_order: bool) -> Option<QueueClass> {
        use QueueClass::{First, Lost, Quarantine, Retry};
        let waits = |queue: &QueueClass| self.waiting(*queue) > 0;
        if in_order {
            let head = [Quarantine, Lost, Retry, First].into_iter().find(waits);
            return head.filter(|head| line_of(*head) == line);
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

    pub(super) fn add(&mut self, queue: QueueClass, count: Count, added: u64) {
        let queue = &mut self.of[queue as usize];
        queue.waiting = match count {
            Count::Added(count) => queue.waiting.saturating_add(count),
            Count::AtLeast(count) => queue.waiting.max(count),
        };
        queue.more |= matches!(count, Count::AtLeast(_));
        queue.added = added;
        self.left = false;
    }

    /// This number of them are due. Nothing is, once all was left.
    pub(super) fn fall_due(&mut self, queue: QueueClass, count: u32, added: u64) {
        if !self.left {
            self.add(queue, Count::Added(count), added);
        }
    }

    /// One of this queue is sent.
    pub(super) fn take(&mut self, queue: QueueClass) {
        let waiting = &mut self.of[queue as usize].waiting;
        *waiting = waiting.saturating_sub(1);
        self.retry_next = queue == QueueClass::First;
    }

    /// A claim by a permit of that time found nothing more, unless more came since.
    pub(super) fn emptied(&mut self, queue: QueueClass, given: u64) {
        let queue = &mut self.of[queue as usize];
        if queue.added <= given {
            (queue.waiting, queue.more) = (0, false);
        }
    }

    /// One that was to be sent was not claimed.
    pub(super) fn put_back(&mut self, queue: QueueClass) {
        let queue = &mut self.of[queue as usize];
        queue.waiting = queue.waiting.saturating_add(1);
    }

    /// As many as that were claimed. Where all that was counted is, and there may be more, twice as
    /// many are asked for next. Returns how many.
    pub(super) fn claimed(&mut self, queue: QueueClass, count: u32) -> Option<u32> {
        let queue = &mut self.of[queue as usize];
        if queue.waiting > 0 || !queue.more {
            return None;
        }
        queue.waiting = count.saturating_mul(2).min(CLAIMED);
        Some(queue.waiting)
    }

    pub(super) fn clear(&mut self) {
        self.of = Default::default();
    }

    /// Nothing is to be sent, whatever becomes due.
    pub(super) fn leave(&mut self) {
        self.left = true;
        self.clear();
    }
}
