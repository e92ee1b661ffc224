//! Where deliveries wait, and how what waits is found.

use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, Place};
use webhook_model::WebhookId;

use super::delivery::DeliveryId;
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
    /// [released](super::Disposition::Release). To be claimed alone: one at a time in a process.
    Alone,
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

/// The lanes in which something became due.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct DueLanes {
    /// Each once, in order of lane.
    pub lanes: Vec<DueLane>,
    /// The limit was reached here: ask again from this point, beyond which there may be nothing.
    /// `None`: that was all.
    pub more: Option<DuePoint>,
}

/// A part of a walk over all lanes in which something waits.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct LaneSweep {
    /// Those of them that have something claimable, in order of lane.
    pub due: Vec<DueLane>,
    /// The last lane that was looked at; `None`: there is none beyond.
    pub next: Option<Lane>,
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
