//! What a request in flight takes room in, and what a lane waits for that found none.

use std::sync::Arc;

use gatepost_ids::Place;
use tokio::time::Instant;
use webhook_model::{OwnerId, WebhookId};

use super::lot::Lot;

/// What a request takes room in: each has a limit, but for those that became slow.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(crate) enum Room {
    /// All requests of this process.
    All,
    /// Those that are slow, or go to webhooks of which nothing good is known.
    Weak,
    /// Those of them that are slow, or go to webhooks that did not respond the last time.
    Slow,
    /// Trials that are not slow yet: first requests of webhooks for which there was no other room.
    /// They count in none of the totals. No lane waits for this.
    Trial,
    /// Trials that became slow.
    SlowTrial,
    /// Retries.
    Retries,
    /// What may have killed its sender: one at a time.
    Alone,
    /// Those of a tenant.
    Tenant(Place),
    /// Those of a tenant that are [`Weak`](Self::Weak).
    TenantWeak(Place),
    /// Those of an owner.
    Owner(OwnerId),
    /// Those of a webhook.
    Webhook(WebhookId),
    /// Those of a webhook that have run for long.
    WebhookSlow(WebhookId),
    /// Those to an origin.
    Origin(Arc<str>),
    /// Those to an origin that are [`Weak`](Self::Weak).
    OriginWeak(Arc<str>),
    /// Those to an origin that are a tenant's.
    OriginTenant(Arc<str>, Place),
    /// Those to an origin that are a tenant's and [`Weak`](Self::Weak).
    OriginTenantWeak(Arc<str>, Place),
}

/// What a lane waits for.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub(crate) enum Wait {
    /// Room.
    Room(Room),
    /// A fair share of it: there is room, but for others who have less.
    Share(Room),
    /// Its webhook is being read.
    Read,
    /// The turn of the next retry.
    RetryTurn,
    /// That this process sends the backlogs of that lot.
    Lot(Lot),
    /// A time: of a breaker, of a rate, of trying again.
    Until(Instant),
}

/// How a webhook is tried where there is no other room.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Trial {
    /// It has just arrived.
    Fresh,
    /// It has waited for that.
    Waited,
}

/// Why there is no permit.
#[derive(Debug)]
pub(crate) struct Blocked {
    pub(super) wait: Wait,
    /// It may be tried when it has waited for that.
    pub(super) may_be_tried: bool,
    /// How often room had become free until then.
    pub(super) releases: u64,
}

impl Blocked {
    /// By that, whatever room there is.
    pub(crate) fn by(wait: Wait) -> Self {
        Self {
            wait,
            may_be_tried: false,
            releases: 0,
        }
    }
}

impl Wait {
    /// The wider, the more lanes may wait for it. A half step below a total is a share of it.
    fn breadth(&self) -> u8 {
        match self {
            Self::Read | Self::Lot(_) | Self::Until(_) => 0,
            Self::RetryTurn => 8,
            Self::Room(room) => room.breadth(),
            Self::Share(room) => room.breadth().saturating_sub(1),
        }
    }

    /// Whether fewer lanes wait for this than for the other.
    pub(super) fn is_narrower(&self, other: &Self) -> bool {
        self.breadth() < other.breadth()
    }

    /// Whether it is for others that it waits, whoever they are: a trial needs none of this.
    pub(super) fn is_for_all(&self) -> bool {
        match self {
            Self::Room(room) => matches!(room, Room::All | Room::Weak),
            Self::Share(room) => matches!(room, Room::All | Room::Weak | Room::Origin(_)),
            Self::Read | Self::RetryTurn | Self::Lot(_) | Self::Until(_) => false,
        }
    }

    /// Whether only lanes of one tenant wait for it.
    pub(super) fn is_of_one(&self) -> bool {
        matches!(self, Self::Room(room) if room.breadth() <= 6)
    }

    /// Whether only lanes of one class wait for it.
    pub(super) fn is_of_class(&self) -> bool {
        matches!(
            self,
            Self::RetryTurn | Self::Room(Room::Retries | Room::Alone)
        )
    }
}

impl Room {
    fn breadth(&self) -> u8 {
        match self {
            Self::Webhook(_) | Self::WebhookSlow(_) => 0,
            Self::OriginTenant(..) | Self::OriginTenantWeak(..) => 2,
            Self::Owner(_) => 4,
            Self::Tenant(_) | Self::TenantWeak(_) => 6,
            Self::Origin(_) | Self::OriginWeak(_) | Self::Retries | Self::Alone => 8,
            Self::Slow | Self::Trial | Self::SlowTrial => 10,
            Self::Weak => 12,
            Self::All => 14,
        }
    }
}

/// The wall around a request: its tenant; where everybody is in one place, its owner.
pub(super) fn walled(place: Place, owner: OwnerId) -> Place {
    match place {
        Place::Common => Place::Alone(owner),
        Place::Operators | Place::Tenant(_) | Place::Alone(_) => place,
    }
}
