//! Questions that the platform did not answer.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::guard::guarded;

const MINUTE: Duration = Duration::from_secs(60);

/// Counts them, and writes one line a minute: a platform that is down fails at every question.
#[derive(Debug)]
pub(super) struct Failures(Mutex<Counted>);

#[derive(Debug)]
struct Counted {
    since: Instant,
    this_minute: u64,
    last_minute: u64,
}

impl Failures {
    pub(super) fn none() -> Self {
        Self(Mutex::new(Counted {
            since: Instant::now(),
            this_minute: 0,
            last_minute: 0,
        }))
    }

    pub(super) fn note(&self, what: &'static str, error: &str) {
        let first = self.with(|counted| {
            counted.this_minute = counted.this_minute.saturating_add(1);
            counted.this_minute == 1
        });
        if first {
            guarded(|| tracing::warn!(what, error, "the platform gave no answer"));
        }
    }

    /// How many in this minute and the one before.
    pub(super) fn recent(&self) -> u64 {
        self.with(|counted| counted.this_minute.saturating_add(counted.last_minute))
    }

    fn with<R>(&self, look: impl FnOnce(&mut Counted) -> R) -> R {
        let mut counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let passed = counted.since.elapsed();
        if passed >= MINUTE {
            let last_minute = if passed < 2 * MINUTE {
                counted.this_minute
            } else {
                0
            };
            *counted = Counted {
                since: Instant::now(),
                this_minute: 0,
                last_minute,
            };
        }
        look(&mut counted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_recent_ones_are_counted_and_older_ones_are_not() {
        let failures = Failures::none();
        (0..3).for_each(|_| failures.note("accounts", "down"));
        assert_eq!(failures.recent(), 3);
        tokio::time::advance(MINUTE).await;
        failures.note("watch", "down");
        assert_eq!(failures.recent(), 4);
        tokio::time::advance(MINUTE).await;
        assert_eq!(failures.recent(), 1);
        tokio::time::advance(2 * MINUTE).await;
        assert_eq!(failures.recent(), 0);
    }
}
