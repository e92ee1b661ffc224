//! Detects that the clock was set, which makes the times of earlier leases unreliable.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use tokio::time::Instant;

use super::engine_clock::EngineClock;
use crate::error::ClockError;
use crate::guard::guarded;

/// A smaller difference is the drift of the machine's clock, not a step.
const TOLERATED: TimeDelta = TimeDelta::seconds(1);

/// Detects when the clock is set. A process that reclaims then would take claims of live workers:
/// for as long as the longest lease lasts, nothing is reclaimed.
#[derive(Debug)]
pub(crate) struct ClockSteps {
    clock: Arc<EngineClock>,
    began: Instant,
    last: (DateTime<Utc>, Duration),
    /// How far the clock was behind the server's.
    offset: TimeDelta,
    longest_lease: Duration,
    settled_at: Duration,
    /// The last moment at which the clock was right, with what had passed by then.
    right: (DateTime<Utc>, Duration),
}

impl ClockSteps {
    pub(crate) fn watch(
        clock: Arc<EngineClock>,
        longest_lease: Duration,
    ) -> Result<Self, ClockError> {
        let passed = clock.passed()?.unwrap_or_default();
        Ok(Self {
            last: (clock.shown()?, passed),
            right: (clock.now()?, passed),
            offset: clock.offset(),
            clock,
            began: Instant::now(),
            longest_lease,
            settled_at: Duration::ZERO,
        })
    }

    /// Whether the clock was set since the last call, or was found to differ from the server's.
    pub(crate) fn has_stepped(&mut self) -> Result<bool, ClockError> {
        let (shown, passed) = (self.clock.shown()?, self.passed()?);
        let (last_shown, last_passed) = self.last;
        self.last = (shown, passed);
        let went =
            TimeDelta::from_std(passed.saturating_sub(last_passed)).unwrap_or(TimeDelta::MAX);
        let own = shown - last_shown - went;
        let offset = self.clock.offset();
        let servers = offset - std::mem::replace(&mut self.offset, offset);
        let step = if own.abs() > servers.abs() {
            own
        } else {
            servers
        };
        if step.abs() <= TOLERATED {
            return Ok(false);
        }
        self.settled_at = passed + self.longest_lease;
        let seconds = step.num_seconds();
        guarded(|| tracing::warn!(seconds, "the clock was set; no claim is taken back for now"));
        Ok(true)
    }

    /// Returns by how much the clock, corrected by the server's, went back since it was last right.
    pub(crate) fn set_back(&self) -> Result<Option<TimeDelta>, ClockError> {
        let (was, passed_then) = self.right;
        let passed = self.passed()?.saturating_sub(passed_then);
        let passed = TimeDelta::from_std(passed).unwrap_or(TimeDelta::MAX);
        let back = was + passed - self.clock.now()?;
        Ok(Some(back).filter(|back| *back > TOLERATED))
    }

    /// Notes that the clock is right, and that rows from before it was set back are corrected.
    pub(crate) fn note_right(&mut self) -> Result<(), ClockError> {
        self.right = (self.clock.now()?, self.passed()?);
        Ok(())
    }

    /// Whether every lease that was given before the last step has ended.
    pub(crate) fn is_settled(&self) -> Result<bool, ClockError> {
        Ok(self.passed()? >= self.settled_at)
    }

    fn passed(&self) -> Result<Duration, ClockError> {
        let passed = self.clock.passed()?;
        Ok(passed.unwrap_or_else(|| self.began.elapsed()))
    }
}

#[cfg(test)]
mod tests {
    use gatepost_kv::MemoryStore;
    use gatepost_storage::ManualClock;

    use super::*;
    use crate::testing::{BrokenClock, noon};

    #[tokio::test]
    async fn clock_step_is_noticed_and_elapsed_time_not() {
        let clock = Arc::new(ManualClock::at(noon()));
        let engine_clock = EngineClock::start(clock.clone(), &MemoryStore::new()).await;
        let longest = Duration::from_secs(150);
        let mut steps = ClockSteps::watch(Arc::new(engine_clock.unwrap()), longest).unwrap();
        for passes in [0, 1, 3600, 400 * 86_400] {
            clock.advance(Duration::from_secs(passes));
            assert!(
                !steps.has_stepped().unwrap() && steps.is_settled().unwrap(),
                "{passes}"
            );
        }
        for seconds in [2, -2, 3600, -3600, 400 * 86_400, -400 * 86_400] {
            clock.jump(TimeDelta::seconds(seconds));
            assert!(
                steps.has_stepped().unwrap() && !steps.is_settled().unwrap(),
                "{seconds}"
            );
            clock.advance(Duration::from_secs(149));
            assert!(
                !steps.has_stepped().unwrap() && !steps.is_settled().unwrap(),
                "{seconds}"
            );
            clock.advance(Duration::from_secs(1));
            assert!(steps.is_settled().unwrap(), "{seconds}");
        }
    }

    #[tokio::test]
    async fn step_during_unreadable_clock_is_noticed_afterwards() {
        let broken = Arc::new(BrokenClock::at(noon()));
        let clock = EngineClock::start(broken.clone(), &MemoryStore::new()).await;
        let longest = Duration::from_secs(150);
        let mut steps = ClockSteps::watch(Arc::new(clock.unwrap()), longest).unwrap();
        broken.set_broken(true);
        assert!(steps.has_stepped().is_err() && steps.is_settled().is_err());
        broken.clock.jump(TimeDelta::days(1));
        broken.set_broken(false);
        assert!(steps.has_stepped().unwrap() && !steps.is_settled().unwrap());
    }
}
