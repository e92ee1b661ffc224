//! The queues of a webhook, and the number of deliveries in each.

use std::num::NonZeroU32;

use gatepost_ids::Realm;
use gatepost_storage::Revision;
use gatepost_storage::webhooks::QueueClass;
use tokio::time::Instant;
use webhook_model::{OwnerId, WebhookId};

/// The maximum number that is claimed at a time, if the number of pending deliveries is unknown.
const CLAIMED: u32 = 64;

/// Groups of queues that have one entry among those that are ready: first attempts and retries
/// share one.
pub(super) const LINES: usize = 3;

/// The properties of a webhook that its turns depend on.
#[derive(Clone, Debug)]
pub(crate) struct Webhook {
    pub id: WebhookId,
    pub owner: OwnerId,
    pub place: Realm,
    /// The revision at which a delivery was queued for it.
    pub revision: Revision,
    /// `None`: not read. Known settings stay.
    pub settings: Option<Settings>,
}

/// The owner's settings for how a webhook sends.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Settings {
    /// One request at a time.
    pub in_order: bool,
    /// Requests a second, in all processes.
    pub rate: Option<NonZeroU32>,
}

/// The number of deliveries in a queue.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Count {
    /// This many were added.
    Added(u32),
    /// The store has at least this many.
    AtLeast(u32),
}

/// The record of a webhook's last attempts that this process did not see.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum History {
    /// Not tried, or unknown.
    New,
    /// Its deliveries were due before this process began: it is taken for responsive.
    Before,
    /// It has been failing.
    Failing,
}

/// The state of a queue with pending deliveries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    pub count: Count,
    /// The due time of the first of them.
    pub due: Instant,
    pub record: History,
}

/// The pending deliveries of one webhook.
#[derive(Debug, Default)]
pub(super) struct Queues {
    of: [Queue; 4],
    /// Whether a retry goes next, if both wait.
    retry_next: bool,
    /// Nothing of it is sent until a queue is ready again.
    pub(super) left: bool,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: u32,
    /// The counter's value when a delivery was last added.
    added: u64,
    /// There may be more than the count.
    more: bool,
}

/// Returns the group of a queue.
pub(super) fn line_of(queue: QueueClass) -> usize {
    match queue {
        QueueClass::First | QueueClass::Retry => 0,
        QueueClass::Lost => 1,
        QueueClass::Quarantine => 2,
    }
}

impl Queues {
    /// Returns the queue that goes next in a group. In order, only the head of all queues does.
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

    /// Notes that this number of them are due. None is, after all queues were left.
    pub(super) fn fall_due(&mut self, queue: QueueClass, count: u32, added: u64) {
        if !self.left {
            self.add(queue, Count::Added(count), added);
        }
    }

    /// Takes one delivery of this queue to send it.
    pub(super) fn take(&mut self, queue: QueueClass) {
        let waiting = &mut self.of[queue as usize].waiting;
        *waiting = waiting.saturating_sub(1);
        self.retry_next = queue == QueueClass::First;
    }

    /// Notes that a claim by a permit of that time found nothing more, unless deliveries were added
    /// later.
    pub(super) fn emptied(&mut self, queue: QueueClass, given: u64) {
        let queue = &mut self.of[queue as usize];
        if queue.added <= given {
            (queue.waiting, queue.more) = (0, false);
        }
    }

    /// Puts back a delivery that was not claimed.
    pub(super) fn put_back(&mut self, queue: QueueClass) {
        let queue = &mut self.of[queue as usize];
        queue.waiting = queue.waiting.saturating_add(1);
    }

    /// Notes that this number was claimed. If all counted ones are, and there may be more, twice as
    /// many are asked for next. Returns that number.
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

    /// Leaves all queues: nothing is sent, whatever becomes due.
    pub(super) fn leave(&mut self) {
        self.left = true;
        self.clear();
    }
}
