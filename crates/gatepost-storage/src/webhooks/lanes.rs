//! Where deliveries wait, and how what waits is found.

use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, Place};
use webhook_model::WebhookId;

use super::delivery::{Delivery, DeliveryId};
use crate::page::Revision;

/// First attempts and retries wait apart, so that the one cannot starve the other; and apart from
/// both, what may have killed its sender. Counted are the attempts since a delivery was enqueued
/// or replayed last ([`Delivery::tries`](super::Delivery::tries)).
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum LaneClass {
    /// Deliveries without an attempt yet.
    First,
    /// Deliveries with at least one attempt.
    Retry,
    /// Deliveries that lost a claim and have not been settled since, or only
    /// [released](super::Disposition::Release). To be claimed beside few others of this class: one
    /// of them may have ended its sender.
    Lost,
    /// Those of [`Lost`](Self::Lost) whose next lost claim ends them. To be claimed alone: one at
    /// a time in a process.
    Alone,
}

impl LaneClass {
    /// All classes, in the order of their numbers.
    pub const ALL: [Self; 4] = [Self::First, Self::Retry, Self::Lost, Self::Alone];

    /// The number under which it is stored.
    #[must_use]
    pub fn number(self) -> i16 {
        match self {
            Self::First => 0,
            Self::Retry => 1,
            Self::Lost => 2,
            Self::Alone => 3,
        }
    }

    /// Where a delivery waits that lost a claim, and this many in a row after that.
    #[must_use]
    pub fn after_losses(lost_claims: u32) -> Self {
        match lost_claims + 1 < Delivery::MAX_LOST_CLAIMS {
            true => Self::Lost,
            false => Self::Alone,
        }
    }

    /// The class that is stored under this number.
    #[must_use]
    pub fn from_number(number: i16) -> Self {
        match number {
            0 => Self::First,
            1 => Self::Retry,
            2 => Self::Lost,
            _ => Self::Alone,
        }
    }
}

/// The waiting deliveries of one webhook and one class, oldest due first.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Lane {
    /// The webhook.
    pub webhook: WebhookId,
    /// First attempts or retries.
    pub class: LaneClass,
}

/// A lane that has something to send.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct DueLane {
    /// The lane.
    pub lane: Lane,
    /// The due time of its head.
    pub due: DateTime<Utc>,
    /// The owner of the webhook.
    pub owner: OwnerId,
    /// Where the owner stands.
    pub place: Place,
    /// The webhook's revision.
    pub revision: Revision,
}

/// A place in what waits, by `(due, delivery)`.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct DuePoint {
    /// The due time.
    pub due: DateTime<Utc>,
    /// The delivery.
    pub delivery: DeliveryId,
}

/// Which webhooks' queues to look at.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Queues {
    /// Those in which something that still waits became due after this point.
    Due(DuePoint),
    /// Those of these webhooks.
    Of(Vec<WebhookId>),
    /// All in which something waits, due or not, beyond this one. What no process was notified of
    /// is found by such walks.
    Beyond(Option<Lane>),
}

/// Webhooks' queues from which something can be claimed.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct FoundQueues {
    /// Each once, in order.
    pub due: Vec<DueLane>,
    /// The limit was reached: ask for these next, of which there may be none. `None`: that was all.
    pub more: Option<Queues>,
    /// When the next of what waits is due.
    pub next_due: Option<DateTime<Utc>>,
}

/// What arrived, as far as another process said.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Arrived {
    /// Something waits in these lanes, or did so a moment ago.
    Lanes(Vec<Lane>),
    /// More lanes than can be named: something has become due a moment ago.
    Due,
    /// Something may be claimable that was due long ago: walk over all lanes.
    Anything,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_reads_back_as_it_was_written() {
        for class in LaneClass::ALL {
            assert_eq!(LaneClass::from_number(class.number()), class);
        }
    }
}
