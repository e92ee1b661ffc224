//! The clocks: the true one, and one of each process that may be wrong.

use std::sync::atomic::{AtomicI64, Ordering};

use chrono::{DateTime, Utc};
use gatepost_storage::Clock;
use tokio::time::Instant;

/// The time at which every run begins, in seconds since 1970.
const NOON: i64 = 1_772_366_400;

/// Follows tokio's time, which only moves when everything waits.
#[derive(Debug)]
pub(super) struct VirtualClock {
    began: Instant,
    /// The seconds by which it is wrong.
    wrong: AtomicI64,
}

impl VirtualClock {
    /// Returns a correct clock for a simulation that began at this instant.
    pub(super) fn since(began: Instant) -> Self {
        Self {
            began,
            wrong: AtomicI64::new(0),
        }
    }

    /// Sets the number of seconds by which it is wrong.
    pub(super) fn set_wrong(&self, seconds: i64) {
        self.wrong.store(seconds, Ordering::Relaxed);
    }
}

impl Clock for VirtualClock {
    fn now(&self) -> DateTime<Utc> {
        let passed = self.began.elapsed();
        let seconds = passed.as_secs().cast_signed() + self.wrong.load(Ordering::Relaxed);
        DateTime::from_timestamp(NOON + seconds, passed.subsec_nanos()).unwrap()
    }
}
