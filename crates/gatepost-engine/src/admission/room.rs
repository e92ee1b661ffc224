//! What a request in flight takes room in, and what a lane waits for that found none.

use std::sync::Arc;

use gatepost_storage::webhooks::LaneClass;
use tokio::time::Instant;
use webhook_model::{OwnerId, Place, WebhookId};

use super::standing::Standing;
use crate::routes::Route;

/// What a request takes room in: each has a limit.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(crate) enum Room {
    /// All requests of this process.
    All,
    /// Those that are slow, or go to webhooks of which nothing good is known.
    Weak,
    /// Those of them that are known to be slow.
    Slow,
    /// Retries.
    Retries,
    /// What may have killed its sender: one at a time.
    Alone,
    /// Those of a tenant.
    Tenant(Place),
    /// Those of [`Weak`](Self::Weak) that are a tenant's.
    TenantWeak(Place),
    /// Those of an owner.
    Owner(OwnerId),
    /// Those of a webhook.
    Webhook(WebhookId),
    /// Those to an origin.
    Origin(Arc<str>),
    /// Those of [`Weak`](Self::Weak) that go to an origin.
    OriginWeak(Arc<str>),
    /// Those to an origin that are a tenant's.
    OriginTenant(Arc<str>, Place),
}

/// What a lane waits for.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Wait {
    /// Room.
    Room(Room),
    /// The turn of the next retry.
    RetryTurn,
    /// A time: of a breaker, a rate, or of trying again.
    Until(Instant),
}

/// Who is walled off from whom: tenants; where everybody is in one place, owners.
pub(crate) fn walled(place: Place, owner: OwnerId) -> Place {
    match place {
        Place::Common => Place::Alone(owner),
        place => place,
    }
}
