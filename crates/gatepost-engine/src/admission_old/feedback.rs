//! What an attempt says about the webhook's target.

use std::time::Duration;

/// What an attempt says about the webhook's target.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Feedback {
    /// Nothing: it was never asked, or what failed is ours.
    None,
    /// 2xx.
    Received,
    /// 429 or 503.
    Overloaded,
    /// A response with another status.
    Responded,
    /// Connected, but no response in time.
    TimedOut,
    /// Nobody listens there, or nobody answers to a connection.
    Refused,
    /// No connection could be made for another reason.
    Unreachable,
}

/// An attempt that was made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lesson {
    pub feedback: Feedback,
    /// How long the target took.
    pub took: Duration,
}
