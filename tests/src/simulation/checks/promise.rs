//! Promises to a platform.

use std::fmt;

/// A promise to a platform.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Promise {
    /// An accepted delivery is sent or ends in an error, and is in the log once.
    NothingIsLost,
    /// An occurrence with an id runs a task once, however often it is emitted.
    OncePerOccurrence,
    /// A receiver sees a delivery once for each attempt, for each lost claim, and for each reused
    /// connection that it closed instead of an answer.
    RepeatsAreAccountedFor,
    /// All requests of a delivery carry the stored bytes.
    BytesAreTheSame,
    /// `sent` means that a 2xx was sent; `error` has a reason.
    StatesTellTheTruth,
    /// No attempt is made before its due time, nor before the time that a target asked for.
    NothingIsEarly,
    /// A webhook that keeps its order has at most one concurrent request for each process.
    AtOnceIsBounded,
    /// A one-time task runs once, and is deleted then.
    OnceIsOnce,
    /// When the trouble is over, the queue is empty soon.
    QueueEmpties,
    /// No address is dialled that the policy refuses.
    NothingForbidden,
    /// An occurrence about one user reaches that user and the tenant's administrator, and nobody
    /// else.
    WallsHold,
    /// Requests after an edit show the target the new token and are signed by the new secret, and
    /// during the overlap by the old one too.
    CredentialsAreCurrent,
    /// Nobody has more webhooks than allowed, nor more waiting deliveries; and nobody is refused
    /// sooner.
    QuotasHold,
    /// A rolled key is valid during its overlap and in no process any longer; the new one is valid
    /// immediately.
    RolledKeysEnd,
    /// In a webhook that keeps its order, no delivery is sent before those that were stored earlier
    /// have ended.
    OrderIsKept,
    /// An occurrence that is emitted after another emit for the same audience was answered is not
    /// sent before that one, by a webhook that keeps its order.
    SequenceIsKept,
    /// Between a failed attempt and the next one is the time of the schedule, or the time that the
    /// target asked for; and, if nothing delays it, not much more.
    ScheduleIsKept,
    /// A delivery ends in `error` after all attempts that its webhook allows, or for another known
    /// reason.
    NothingIsGivenUpEarly,
    /// A paused or deleted webhook sends only the deliveries that were claimed before.
    PausesHold,
    /// A cancelled delivery has ended, and is not sent.
    CancelsHold,
    /// No request is under way after the end of its claim's lease.
    LeasesOutlastRequests,
    /// A webhook is disabled that only failed for the policy's time, and no other; its owner is
    /// notified when it fails, has recovered, is disabled or gives up deliveries, and only then.
    EndpointStatesAreTrue,
}

/// A promise that was broken.
#[derive(Clone, Debug)]
pub struct Breach {
    /// The promise.
    pub promise: Promise,
    /// The evidence.
    pub what: String,
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.promise, self.what)
    }
}
