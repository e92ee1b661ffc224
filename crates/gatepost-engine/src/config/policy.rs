//! How long things are kept, and when a webhook is disabled.

use std::time::Duration;

use super::setters::setters;

/// How long things are kept.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Retention {
    /// Ended deliveries. Default 70 days.
    pub deliveries: Duration,
    /// Ended deliveries of one webhook that are shown. Default 3,000.
    pub deliveries_per_webhook: u32,
    /// Bytes that the log of deliveries may take in the database, about: beyond that the oldest
    /// that have ended leave. `None`, the default: as many as there are.
    pub bytes: Option<u64>,
    /// Counters of what each webhook sent in each hour: they outlive the deliveries. Default 400
    /// days, so that a month can be compared with that of the year before.
    pub counts: Duration,
    /// Ids of occurrences, by which a repeated emit is recognised. Default 7 days.
    pub occurrences: Duration,
    /// Deliveries held by a webhook that is paused or disabled; older ones end in error. Default
    /// 30 days.
    pub held: Duration,
}

/// When the engine disables a webhook by itself; never by default. The observer is notified either
/// way: of each `410 Gone`, and once of nothing but failures for the time set here, or for 5 days.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct DisablePolicy {
    /// On `410 Gone`.
    pub on_gone: bool,
    /// After nothing but failures for this time.
    pub after_failing_for: Option<Duration>,
}

setters! { Retention {
    /// Sets [`deliveries`](Self::deliveries).
    with_deliveries: deliveries: Duration,
    /// Sets [`deliveries_per_webhook`](Self::deliveries_per_webhook).
    with_deliveries_per_webhook: deliveries_per_webhook: u32,
    /// Sets [`bytes`](Self::bytes).
    with_bytes: bytes: Option<u64>,
    /// Sets [`counts`](Self::counts).
    with_counts: counts: Duration,
    /// Sets [`occurrences`](Self::occurrences).
    with_occurrences: occurrences: Duration,
    /// Sets [`held`](Self::held).
    with_held: held: Duration,
} }

setters! { DisablePolicy {
    /// Sets [`on_gone`](Self::on_gone).
    with_on_gone: on_gone: bool,
    /// Sets [`after_failing_for`](Self::after_failing_for); `None` is never.
    with_after_failing_for: after_failing_for: Option<Duration>,
} }

impl Default for Retention {
    fn default() -> Self {
        let days = |n: u64| Duration::from_secs(n * 24 * 60 * 60);
        Self {
            deliveries: days(70),
            deliveries_per_webhook: 3_000,
            bytes: None,
            counts: days(400),
            occurrences: days(7),
            held: days(30),
        }
    }
}
