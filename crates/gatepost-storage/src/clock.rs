//! Clocks. Points in time are arguments.
//!
//! No backend reads a clock: every method takes `now`. The services hold a [`Clock`] and read it
//! once per operation; only [`SystemClock`] in the whole workspace reads the machine's clock.

use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

/// A source of the current time. It is called for every request and delivery, so it must be cheap.
pub trait Clock: fmt::Debug + Send + Sync + 'static {
    /// Returns the current time in UTC. It may go backwards if the machine's clock is set.
    fn now(&self) -> DateTime<Utc>;

    /// Returns the time since some fixed point, unaffected by setting the clock. `None`, the
    /// default, selects the monotonic clock of this process.
    fn passed(&self) -> Option<Duration> {
        None
    }
}

/// The machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "the only function that reads the machine's clock"
    )]
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }
}

/// A clock for tests, which moves only if it is advanced.
///
/// ```
/// use gatepost_storage::{Clock, ManualClock};
/// let clock = ManualClock::at("2026-03-01T12:00:00Z".parse()?);
/// clock.advance(std::time::Duration::from_secs(90));
/// assert_eq!(clock.now().to_rfc3339(), "2026-03-01T12:01:30+00:00");
/// # Ok::<(), chrono::ParseError>(())
/// ```
#[derive(Debug)]
pub struct ManualClock {
    /// Microseconds since the epoch, the resolution of every backend.
    micros: AtomicI64,
    /// Microseconds by which the clock was advanced.
    advanced: AtomicI64,
}

impl ManualClock {
    /// Creates a clock that shows `start`, truncated to whole microseconds.
    #[must_use]
    pub fn at(start: DateTime<Utc>) -> Self {
        Self {
            micros: AtomicI64::new(start.timestamp_micros()),
            advanced: AtomicI64::new(0),
        }
    }

    /// Moves the clock forward.
    pub fn advance(&self, by: Duration) {
        let by = i64::try_from(by.as_micros()).unwrap_or(i64::MAX);
        for count in [&self.micros, &self.advanced] {
            let _ = count.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |now| {
                Some(now.saturating_add(by))
            });
        }
    }

    /// Moves the clock by a signed amount, like a clock that is set manually.
    pub fn jump(&self, by: TimeDelta) {
        let by = by.num_microseconds().unwrap_or(0);
        let _ = self
            .micros
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |now| {
                Some(now.saturating_add(by))
            });
    }
}

impl Clock for ManualClock {
    fn now(&self) -> DateTime<Utc> {
        DateTime::from_timestamp_micros(self.micros.load(Ordering::SeqCst))
            .unwrap_or(DateTime::<Utc>::MAX_UTC)
    }

    fn passed(&self) -> Option<Duration> {
        let micros = self.advanced.load(Ordering::SeqCst);
        u64::try_from(micros).ok().map(Duration::from_micros)
    }
}
