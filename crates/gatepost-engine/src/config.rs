//! What a host may set.

use std::time::Duration;

/// How much the engine does at once. All limits are for this process.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// Requests in flight. Default 1,024.
    pub in_flight: usize,
    /// Requests in flight to one webhook. Default 32.
    pub per_webhook: usize,
    /// Requests in flight to one host name; adapts downward while the target is in trouble.
    /// Default 64.
    pub per_host: usize,
    /// Requests in flight for the webhooks of one owner. Default 256.
    pub per_owner: usize,
    /// Of the requests in flight at the most so many in a hundred are retries. Default 50.
    pub retry_percent: usize,
    /// Retries that begin in a second. They are spread over it, so that a storm of them never
    /// stands before first attempts. 0 is no limit. Default 2,000.
    pub retries_per_second: u32,
    /// Of the requests in flight at the most so many in a hundred go to hosts that have not
    /// answered yet, or not the last time: however many targets stall, the others have the
    /// rest. Default 50.
    pub unproven_percent: usize,
    /// Deliveries that one occurrence may make. Default 10,000.
    pub deliveries_per_emit: usize,
    /// Bytes of all messages that one occurrence may make. Default 64 MiB.
    pub bytes_per_emit: usize,
    /// Deliveries a second that a resumed webhook sends of those that were held. 0 is no limit.
    /// Default 100.
    pub resume_per_second: u32,
    /// What a lease lasts longer than the webhook's timeout. Default 30 seconds.
    pub lease_margin: Duration,
    /// How often the store is looked at for work of other processes. Default 1 second.
    pub poll: Duration,
    /// Connect failures in a row after which attempts to a host are spaced. Default 5.
    pub circuit_failures: u32,
    /// The longest space between attempts to a host that cannot be connected to. Default 30
    /// seconds.
    pub circuit_space: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            in_flight: 1024,
            per_webhook: 32,
            per_host: 64,
            per_owner: 256,
            retry_percent: 50,
            retries_per_second: 2_000,
            unproven_percent: 50,
            deliveries_per_emit: 10_000,
            bytes_per_emit: 64 * 1024 * 1024,
            resume_per_second: 100,
            lease_margin: Duration::from_secs(30),
            poll: Duration::from_secs(1),
            circuit_failures: 5,
            circuit_space: Duration::from_secs(30),
        }
    }
}

/// How long things are kept.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Retention {
    /// Ended deliveries. Default 70 days.
    pub deliveries: Duration,
    /// Ended deliveries of one webhook. Default 3,000.
    pub deliveries_per_webhook: u32,
    /// Ids of occurrences, by which a repeated emit is recognised. Default 7 days.
    pub occurrences: Duration,
    /// Deliveries held by a webhook that is paused or disabled; older ones end in error. Default
    /// 30 days.
    pub held: Duration,
}

impl Default for Retention {
    fn default() -> Self {
        let days = |n: u64| Duration::from_secs(n * 24 * 60 * 60);
        Self {
            deliveries: days(70),
            deliveries_per_webhook: 3_000,
            occurrences: days(7),
            held: days(30),
        }
    }
}

/// When the engine disables a webhook by itself; never by default. The observer hears of it either
/// way: of `410 Gone` each time, of nothing but failures once after the time set here, or after 5
/// days.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct DisablePolicy {
    /// On `410 Gone`.
    pub on_gone: bool,
    /// After nothing but failures for so long.
    pub after_failing_for: Option<Duration>,
}

impl DisablePolicy {
    /// Disables on `410 Gone`.
    #[must_use]
    pub fn on_gone(mut self) -> Self {
        self.on_gone = true;
        self
    }

    /// Disables after nothing but failures for so long.
    #[must_use]
    pub fn after_failing_for(mut self, time: Duration) -> Self {
        self.after_failing_for = Some(time);
        self
    }
}
