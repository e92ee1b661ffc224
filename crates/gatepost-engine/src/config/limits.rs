//! Limits on how much the engine does at a time.

use std::time::Duration;

use super::setters::setters;

const MIB: usize = 1024 * 1024;

/// Limits on how much the engine does at a time. All of them are per process.
///
/// ```
/// use gatepost_engine::{InFlightLimits, Limits};
/// let in_flight = InFlightLimits::default().with_total(256).with_per_webhook(8);
/// let limits = Limits::default().with_in_flight(in_flight);
/// assert_eq!((limits.in_flight.total, limits.in_flight.per_webhook), (256, 8));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// Requests in flight.
    pub in_flight: InFlightLimits,
    /// The limits of a single occurrence.
    pub emit: EmitLimits,
    /// The rate at which a backlog is sent.
    pub rates: RateLimits,
    /// The circuit breaker for targets that cannot be reached.
    pub breaker: BreakerLimits,
    /// Leases and polling.
    pub timing: Timing,
    /// Bytes of memory for the routes that occurrences are matched against. A realm that needs more
    /// than a sixteenth of it is not kept there: its events are looked up. Default 256 MiB.
    pub routes_memory: usize,
}

/// Requests in flight. Deliveries over a limit wait; none is refused.
///
/// The shares are fixed. At most half of the requests are those that have run for two seconds, or
/// are for webhooks that did not respond the last time or were slow three times. Untried webhooks
/// have the rest of that half. In each of these shares, and in that of webhooks that responded, the
/// tenant with the fewest requests in flight goes next, and within it the owner with the fewest. On
/// a platform that is one system, each owner counts as a tenant.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct InFlightLimits {
    /// Requests in flight. Targets that responded within seconds may have up to a third more, and
    /// up to as many again while many responsive targets stall at the same time. Default 1,024.
    pub total: usize,
    /// Requests in flight to one webhook. It adapts downward while the target is in trouble, and is
    /// one until the target has responded. Default 32.
    pub per_webhook: usize,
}

/// The limits of a single occurrence.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EmitLimits {
    /// Deliveries stored in one transaction. An occurrence that makes more is stored first and then
    /// fanned out in several transactions. Default 1,000.
    pub deliveries: usize,
    /// Bytes of the messages stored in one transaction. Default 8 MiB.
    pub bytes: usize,
    /// Tasks of one owner that one occurrence runs; those over the limit are counted and rejected.
    /// Default 1,000.
    pub deliveries_per_owner: usize,
    /// Bytes of the messages of one owner that one occurrence makes. A message counts with its
    /// length before or after its variables are filled in, whichever is larger, even if it is
    /// rejected. Default 8 MiB.
    pub bytes_per_owner: usize,
}

/// The rate at which a backlog is sent.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RateLimits {
    /// Deliveries a second that a webhook sends, from all processes, of those that have been due
    /// for a minute when they are found. 0 is no limit. Default 100.
    pub resumed_per_second: u32,
}

/// The circuit breaker of each webhook: it opens when its target cannot be connected to. It never
/// holds back another webhook.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BreakerLimits {
    /// Consecutive connect failures after which the breaker opens: one attempt at a time, with
    /// pauses between them that double. Default 5.
    pub threshold: u32,
    /// The longest pause between attempts while it is open. Default 30 seconds.
    pub max_pause: Duration,
}

/// Leases and polling.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Timing {
    /// How much longer a lease lasts than the longest timeout of its class: 10, 30 or 120 seconds.
    /// A request that could outlast its lease is not begun, so this must be far longer than the
    /// time between a claim and its request. At least 1 second, whatever is set; default 30
    /// seconds.
    pub lease_margin: Duration,
    /// The interval at which the store is asked for unannounced work of other processes; its outbox
    /// four times as often while rows arrive there, and for ten polls afterwards. After a minute of
    /// such polls without any result, only every fifth poll is made. Default 1 second.
    pub poll: Duration,
}

setters! { Limits {
    /// Sets [`in_flight`](Self::in_flight).
    with_in_flight: in_flight: InFlightLimits,
    /// Sets [`emit`](Self::emit).
    with_emit: emit: EmitLimits,
    /// Sets [`rates`](Self::rates).
    with_rates: rates: RateLimits,
    /// Sets [`breaker`](Self::breaker).
    with_breaker: breaker: BreakerLimits,
    /// Sets [`timing`](Self::timing).
    with_timing: timing: Timing,
    /// Sets [`routes_memory`](Self::routes_memory).
    with_routes_memory: routes_memory: usize,
} }

setters! { InFlightLimits {
    /// Sets [`total`](Self::total).
    with_total: total: usize,
    /// Sets [`per_webhook`](Self::per_webhook).
    with_per_webhook: per_webhook: usize,
} }

setters! { EmitLimits {
    /// Sets [`deliveries`](Self::deliveries).
    with_deliveries: deliveries: usize,
    /// Sets [`bytes`](Self::bytes).
    with_bytes: bytes: usize,
    /// Sets [`deliveries_per_owner`](Self::deliveries_per_owner).
    with_deliveries_per_owner: deliveries_per_owner: usize,
    /// Sets [`bytes_per_owner`](Self::bytes_per_owner).
    with_bytes_per_owner: bytes_per_owner: usize,
} }

setters! { RateLimits {
    /// Sets [`resumed_per_second`](Self::resumed_per_second).
    with_resumed_per_second: resumed_per_second: u32,
} }

setters! { BreakerLimits {
    /// Sets [`threshold`](Self::threshold).
    with_threshold: threshold: u32,
    /// Sets [`max_pause`](Self::max_pause).
    with_max_pause: max_pause: Duration,
} }

setters! { Timing {
    /// Sets [`lease_margin`](Self::lease_margin).
    with_lease_margin: lease_margin: Duration,
    /// Sets [`poll`](Self::poll).
    with_poll: poll: Duration,
} }

impl Default for Limits {
    fn default() -> Self {
        Self {
            in_flight: InFlightLimits::default(),
            emit: EmitLimits::default(),
            rates: RateLimits::default(),
            breaker: BreakerLimits::default(),
            timing: Timing::default(),
            routes_memory: 256 * MIB,
        }
    }
}

impl Default for InFlightLimits {
    fn default() -> Self {
        Self {
            total: 1024,
            per_webhook: 32,
        }
    }
}

impl Default for EmitLimits {
    fn default() -> Self {
        Self {
            deliveries: 1_000,
            bytes: 8 * MIB,
            deliveries_per_owner: 1_000,
            bytes_per_owner: 8 * MIB,
        }
    }
}

impl Default for RateLimits {
    fn default() -> Self {
        Self {
            resumed_per_second: 100,
        }
    }
}

impl Default for BreakerLimits {
    fn default() -> Self {
        Self {
            threshold: 5,
            max_pause: Duration::from_secs(30),
        }
    }
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            lease_margin: Duration::from_secs(30),
            poll: Duration::from_secs(1),
        }
    }
}
