//! Permits for single requests, and how they ended.

use std::time::Duration;

use gatepost_ids::Realm;
use gatepost_storage::Revision;
use gatepost_storage::webhooks::QueueClass;
use webhook_model::{OwnerId, WebhookId};

use super::realms::At;
use super::slots::Class;

/// How a permit ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Outcome {
    /// The store was not asked, and the deliveries are still pending.
    Unclaimed,
    /// The claim found nothing more in this queue.
    Empty,
    /// A delivery was claimed, and given back.
    Unsent,
    /// A response, other than those that ask to wait.
    Responded,
    /// 429 or 503, and how long the target asks to wait.
    Overloaded(Option<Duration>),
    /// Connected, but no response in time.
    TimedOut,
    /// No connection.
    Unreachable,
}

/// A permit for one request. It must be [released](Scheduler::release).
#[derive(Debug, Eq, PartialEq)]
pub(crate) struct Permit {
    pub webhook: WebhookId,
    /// The newest revision at which a delivery was queued for it.
    pub revision: Revision,
    pub owner: OwnerId,
    pub place: Realm,
    /// The queue to claim from.
    pub queue: QueueClass,
    pub(super) at: At,
    pub(super) class: Class,
    /// The value of the counter of added deliveries when the permit was given.
    pub(super) given: u64,
    pub(super) is_overdue: bool,
}
