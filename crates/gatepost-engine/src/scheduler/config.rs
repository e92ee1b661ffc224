//! What the scheduler is limited by.

use std::num::NonZeroU32;

use crate::config::BreakerLimits;

/// Webhooks that are remembered at most: about 200 MB.
pub(crate) const MOST: usize = 200_000;
/// What the scheduler is limited by.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    /// Requests in flight in this process. Up to as many again come on top while targets stall.
    pub total: u32,
    /// Requests in flight to one webhook, at most.
    pub per_webhook: u32,
    /// Deliveries a second that a resumed webhook sends, in all processes; `None`: no limit.
    pub resumed_per_second: Option<NonZeroU32>,
    pub breaker: BreakerLimits,
    /// Webhooks that are remembered at most, usually [`MOST`].
    pub webhooks: usize,
}
