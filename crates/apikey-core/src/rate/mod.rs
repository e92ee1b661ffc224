//! How many requests a key may make.

mod bucket;
mod limit;

pub use bucket::{Drawn, Empty, Level};
pub use limit::{RateLimit, RateLimitError};
