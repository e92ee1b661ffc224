//! Leave for one request, and how it ended.

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
    /// Nothing was asked of the store, and what waited still does.
    Unclaimed,
    /// The claim found nothing more in this queue.
    Empty,
    /// Something was claimed, and given back.
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

/// Leave for one request. It has to be [released](Scheduler::release).
#[derive(Debug, Eq, PartialEq)]
pub(crate) struct Permit {
    pub webhook: WebhookId,
    /// The newest revision at which something was queued for it.
    pub revision: Revision,
    pub owner: OwnerId,
    pub place: Realm,
    /// From which queue to claim.
    pub queue: QueueClass,
    pub(super) at: At,
    pub(super) class: Class,
    /// What was added by then.
    pub(super) given: u64,
    pub(super) is_overdue: bool,
}
