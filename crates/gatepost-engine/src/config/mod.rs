//! The platform's settings.

mod limits;
mod operational;
mod policy;
mod setters;

pub use limits::{BreakerLimits, EmitLimits, InFlightLimits, Limits, RateLimits, Timing};
pub use operational::OperationalEvents;
pub(crate) use operational::{KEYS, WEBHOOKS};
pub use policy::{DisablePolicy, Retention, RetryScheduleLimits};
