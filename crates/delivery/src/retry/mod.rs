//! Retries of failed attempts.

mod policy;
mod retry_after;
mod schedule;

pub use policy::{RetryPolicy, Retryable};
pub use retry_after::parse_retry_after;
pub use schedule::{MAX_DELAY, Schedule, ScheduleError};

#[cfg(test)]
mod tests;
