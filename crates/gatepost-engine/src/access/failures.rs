//! Questions that the platform did not answer.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::guard::guarded;
use crate::meter;

const MINUTE: Duration = Duration::from_secs(60);

/// Counts failures, and logs one line a minute: a platform that is down fails at every question.
#[derive(Debug)]
pub(super) struct Failures(Mutex<Failed>);

#[derive(Debug, Default)]
struct Failed {
    all: u64,
    written: Option<Instant>,
}

impl Failures {
    pub(super) fn none() -> Self {
        Self(Mutex::default())
    }

    pub(super) fn note(&self, what: &'static str, error: &str) {
        meter::unanswered(what);
        if let Some(failures) = self.count() {
            guarded(|| tracing::warn!(what, failures, error, "the platform gave no answer"));
        }
    }

    /// Counts a failure. Returns the number so far, if it must be logged.
    fn count(&self) -> Option<u64> {
        let mut counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counted.all = counted.all.saturating_add(1);
        if counted.written.is_some_and(|at| at.elapsed() < MINUTE) {
            return None;
        }
        counted.written = Some(Instant::now());
        Some(counted.all)
    }

    #[cfg(test)]
    pub(super) fn all(&self) -> u64 {
        self.0.lock().unwrap().all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn failures_are_counted_and_logged_once_a_minute() {
        let failures = Failures::none();
        assert_eq!(failures.count(), Some(1));
        assert!((0..999).all(|_| failures.count().is_none()));
        tokio::time::advance(MINUTE).await;
        assert_eq!(failures.count(), Some(1_001));
        failures.note("watch", "down");
        assert_eq!(failures.all(), 1_002);
    }
}
