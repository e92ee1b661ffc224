//! Promises to a platform.

use std::fmt;

/// A promise to a platform.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Promise {
    /// An accepted delivery is sent or ends in an error, and is in the log once.
    NothingIsLost,
    /// An occurrence with an id runs a task once, however often it is emitted.
    OncePerOccurrence,
    /// A receiver sees a delivery once for each attempt, for each claim that was lost, and for each
    /// reused connection that it closed instead of an answer.
    RepeatsAreAccountedFor,
    /// All requests of a delivery carry the bytes that are stored.
    BytesAreTheSame,
    /// `sent` means that a 2xx was sent; `error` says why.
    StatesTellTheTruth,
    /// No attempt is made before it is due, nor before a target wants it.
    NothingIsEarly,
    /// A webhook that keeps its order has at most one concurrent request for each process.
    AtOnceIsBounded,
    /// A one-time task runs once, and is deleted then.
    OnceIsOnce,
    /// When the trouble is over, the queue is empty soon.
    QueueEmpties,
    /// No address is dialled that policy refuses.
    NothingForbidden,
    /// An occurrence about one user reaches that user and the tenant's administrator, and nobody
    /// else.
    WallsHold,
    /// Requests after an edit show the target the new token and are signed by the new secret, and
    /// during the overlap by the old one too.
    CredentialsAreCurrent,
    /// Nobody has more webhooks than allowed, nor more that waits; and nobody is refused sooner.
    QuotasHold,
    /// A rolled key is valid during its overlap and in no process any longer; the new one is valid
    /// immediately.
    RolledKeysEnd,
    /// In a webhook that keeps its order, none is sent before those that were stored earlier have
    /// ended.
    OrderIsKept,
    /// An occurrence that is emitted after another emit for the same audience was answered is not
    /// sent before that one, by a webhook that keeps its order.
    SequenceIsKept,
    /// Between an attempt that failed and the next there is the time that the schedule says, or
    /// that the target wants; and where nothing is in its way not much more.
    ScheduleIsKept,
    /// A delivery ends in `error` after all attempts that its webhook allows, or for another reason
    /// that is known.
    NothingIsGivenUpEarly,
    /// A paused or deleted webhook sends only the deliveries that were claimed before.
    PausesHold,
    /// A cancelled delivery has ended, and is not sent.
    CancelsHold,
    /// No request is under way after the end of its claim's lease.
    LeasesOutlastRequests,
    /// A webhook is disabled that did nothing but fail for as long as the policy says, and no
    /// other; its owner learns that it fails, has recovered, is disabled or gives up deliveries
    /// when that is so.
    EndpointStatesAreTrue,
}

/// A promise that was broken.
#[derive(Clone, Debug)]
pub struct Breach {
    /// Which.
    pub promise: Promise,
    /// The evidence.
    pub what: String,
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.promise, self.what)
    }
}
