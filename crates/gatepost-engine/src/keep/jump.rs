//! A clock that is set: leases that were given before say nothing any more.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::Clock;
use tokio::time::Instant;
use webhook_model::Timeout;

/// Less is the pace of the machine's clock, not a jump.
const TOLERATED: TimeDelta = TimeDelta::seconds(1);

/// Tells when the clock jumps. Whoever takes back claims then would take those of workers that are
/// alive: for as long as the longest lease lasts, nothing is taken back.
pub(super) struct Jumps {
    clock: Arc<dyn Clock>,
    began: Instant,
    last: (DateTime<Utc>, Duration),
    longest_lease: Duration,
    settled_at: Duration,
}

impl Jumps {
    pub(super) fn watch(clock: Arc<dyn Clock>, lease_margin: Duration) -> Self {
        let began = Instant::now();
        let passed = clock.passed().unwrap_or_default();
        Self {
            last: (clock.now(), passed),
            clock,
            began,
            longest_lease: Timeout::MAX.as_duration() + lease_margin,
            settled_at: Duration::ZERO,
        }
    }

    fn passed(&self) -> Duration {
        let passed = self.clock.passed();
        passed.unwrap_or_else(|| self.began.elapsed())
    }

    /// Whether the clock was set since the last question.
    pub(super) fn has_jumped(&mut self) -> bool {
        let (shown, passed) = (self.clock.now(), self.passed());
        let (last_shown, last_passed) = self.last;
        self.last = (shown, passed);
        let went =
            TimeDelta::from_std(passed.saturating_sub(last_passed)).unwrap_or(TimeDelta::MAX);
        let jump = shown - last_shown - went;
        if jump.abs() <= TOLERATED {
            return false;
        }
        tracing::warn!(
            seconds = jump.num_seconds(),
            "the clock was set: no claim is taken back for a while"
        );
        self.settled_at = passed + self.longest_lease;
        true
    }

    /// Whether every lease that was given before the last jump has ended.
    pub(super) fn is_settled(&self) -> bool {
        self.passed() >= self.settled_at
    }
}

#[cfg(test)]
mod tests {
    use gatepost_storage::ManualClock;

    use super::*;

    #[test]
    fn a_jump_either_way_is_told_and_time_that_passes_is_not() {
        let clock = Arc::new(ManualClock::at(DateTime::UNIX_EPOCH));
        let mut jumps = Jumps::watch(clock.clone(), Duration::from_secs(30));
        for passes in [0, 1, 3600, 400 * 86_400] {
            clock.advance(Duration::from_secs(passes));
            assert!(!jumps.has_jumped() && jumps.is_settled(), "{passes}");
        }
        for seconds in [2, -2, 3600, -3600, 400 * 86_400, -400 * 86_400] {
            clock.jump(TimeDelta::seconds(seconds));
            assert!(jumps.has_jumped() && !jumps.is_settled(), "{seconds}");
            clock.advance(Duration::from_secs(149));
            assert!(!jumps.has_jumped() && !jumps.is_settled(), "{seconds}");
            clock.advance(Duration::from_secs(1));
            assert!(jumps.is_settled(), "{seconds}");
        }
    }
}
