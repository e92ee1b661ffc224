//! The scheduler's limits.

use std::num::NonZeroU32;

use crate::config::BreakerLimits;

/// The maximum number of remembered webhooks: about 200 MB.
pub(crate) const MOST: usize = 200_000;
/// The scheduler's limits.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    /// Requests in flight in this process. The same number is added while targets stall.
    pub total: u32,
    /// The maximum number of requests in flight to one webhook.
    pub per_webhook: u32,
    /// Deliveries a second that a resumed webhook sends, in all processes; `None`: no limit.
    pub resumed_per_second: Option<NonZeroU32>,
    pub breaker: BreakerLimits,
    /// The maximum number of remembered webhooks, usually [`MOST`].
    pub webhooks: usize,
}
