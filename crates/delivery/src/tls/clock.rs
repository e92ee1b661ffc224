//! The time for the verification of certificates: passed in, never read.

use std::sync::atomic::AtomicI64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use chrono::{DateTime, Utc};
use rustls::time_provider::TimeProvider;
use rustls_pki_types::UnixTime;

/// Holds the wall time of the latest attempt, in seconds.
#[derive(Debug, Default)]
pub(super) struct AttemptClock(AtomicI64);

impl AttemptClock {
    pub(super) fn set(&self, now: DateTime<Utc>) {
        self.0.store(now.timestamp(), Relaxed);
    }
}

impl TimeProvider for AttemptClock {
    fn current_time(&self) -> Option<UnixTime> {
        let secs = u64::try_from(self.0.load(Relaxed)).ok()?;
        Some(UnixTime::since_unix_epoch(Duration::from_secs(secs)))
    }
}
