//! Queues of webhooks, and the search for due queues.

use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, Realm};
use webhook_model::WebhookId;

use super::delivery::{Delivery, DeliveryId};
use crate::page::Revision;

/// The class of a webhook's queue. First attempts and retries have separate queues, so that neither
/// can starve the other. Deliveries that may have crashed their sender wait in separate queues.
/// The class depends on the attempts since the delivery was last enqueued or replayed
/// ([`Delivery::tries`](super::Delivery::tries)).
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum QueueClass {
    /// Deliveries without an attempt.
    First,
    /// Deliveries with at least one attempt.
    Retry,
    /// Deliveries that lost a claim and have not been settled since, or only
    /// [released](super::Disposition::Release). One of them may have crashed its sender, so a
    /// process must claim only a few of this class at a time.
    Lost,
    /// Quarantined deliveries that end with the next lost claim. A process must claim only one of
    /// this class at a time.
    Quarantine,
}

impl QueueClass {
    /// All classes, in the order of their numbers.
    pub const ALL: [Self; 4] = [Self::First, Self::Retry, Self::Lost, Self::Quarantine];

    /// Returns the number that is stored for this class.
    #[must_use]
    pub fn number(self) -> i16 {
        match self {
            Self::First => 0,
            Self::Retry => 1,
            Self::Lost => 2,
            Self::Quarantine => 3,
        }
    }

    /// Returns the class for a delivery that lost a claim, and then this many in a row.
    #[must_use]
    pub fn after_losses(lost_claims: u32) -> Self {
        match lost_claims + 1 < Delivery::MAX_LOST_CLAIMS {
            true => Self::Lost,
            false => Self::Quarantine,
        }
    }

    /// Returns the class for this stored number.
    #[must_use]
    pub fn from_number(number: i16) -> Self {
        match number {
            0 => Self::First,
            1 => Self::Retry,
            2 => Self::Lost,
            _ => Self::Quarantine,
        }
    }
}

/// A queue: the waiting deliveries of one webhook and one class, the oldest due first.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct WebhookQueue {
    /// The webhook.
    pub webhook: WebhookId,
    /// The class.
    pub class: QueueClass,
}

/// A queue from which something can be claimed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct DueQueue {
    /// The queue.
    pub queue: WebhookQueue,
    /// The due time of its first delivery.
    pub due: DateTime<Utc>,
    /// The owner of the webhook.
    pub owner: OwnerId,
    /// The owner's realm.
    pub realm: Realm,
    /// The webhook's revision.
    pub revision: Revision,
}

/// A position in the waiting deliveries, by `(due, delivery)`.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct DuePoint {
    /// The due time.
    pub due: DateTime<Utc>,
    /// The delivery.
    pub delivery: DeliveryId,
}

/// The queues to search.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Queues {
    /// The queues with a waiting delivery that became due after this point.
    Due(DuePoint),
    /// The queues of these webhooks.
    Of(Vec<WebhookId>),
    /// All queues with a waiting delivery, due or not, after this one. An engine walks over them to
    /// find deliveries for which no process was notified.
    Beyond(Option<WebhookQueue>),
}

/// Queues from which something can be claimed.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct FoundQueues {
    /// The queues, each once, in order.
    pub due: Vec<DueQueue>,
    /// The next search, if the limit was reached; it may find nothing. `None` means that the search
    /// is complete.
    pub more: Option<Queues>,
    /// The time at which the next waiting delivery is due.
    pub next_due: Option<DateTime<Utc>>,
}

/// A notification from another process about new work.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Arrived {
    /// A delivery waits in these queues, or waited a moment ago.
    Queues(Vec<WebhookQueue>),
    /// More queues than the notification can name: something became due a moment ago.
    Due,
    /// A delivery that was due earlier may have become claimable: walk over all queues.
    Anything,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_reads_back_as_it_was_written() {
        for class in QueueClass::ALL {
            assert_eq!(QueueClass::from_number(class.number()), class);
        }
    }
}
