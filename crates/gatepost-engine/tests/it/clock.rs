//! A clock for tests whose time is paused.

use std::time::Duration;

use chrono::{DateTime, Utc};
use gatepost_storage::Clock;
use tokio::time::Instant;

/// Follows the time of the test.
#[derive(Debug)]
pub(crate) struct TestTime(Instant);

impl TestTime {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }
}

impl Clock for TestTime {
    fn now(&self) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000) + self.0.elapsed()
    }

    fn passed(&self) -> Option<Duration> {
        Some(self.0.elapsed())
    }
}
