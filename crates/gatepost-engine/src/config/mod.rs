//! What a platform may set.

mod limits;
mod policy;
mod setters;

pub use limits::{BreakerLimits, EmitLimits, InFlightLimits, Limits, RateLimits, Timing};
pub use policy::{DisablePolicy, Retention};
