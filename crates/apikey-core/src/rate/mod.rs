//! Request limits of keys.

mod bucket;
mod limit;

pub use bucket::{Drawn, Empty, Level};
pub use limit::{RateLimit, RateLimitError};
