//! Delays between attempts.

use std::time::Duration;

use rand::Rng;

/// The maximum delay between two attempts, whatever a schedule or a receiver requests: 24 h.
pub const MAX_DELAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The delay before each reattempt, with jitter.
///
/// The default waits 5 s, 30 s, 2 min, 10 min, 30 min, and then an hour each time, each ±20 %.
///
/// ```
/// use delivery::Schedule;
/// use std::time::Duration;
///
/// let fixed = Schedule::new([Duration::from_secs(1), Duration::from_secs(10)])?.with_jitter(0)?;
/// assert_eq!(fixed.base(1), Duration::from_secs(1));
/// assert_eq!(fixed.base(7), Duration::from_secs(10));
/// # Ok::<(), delivery::ScheduleError>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Schedule {
    steps: Vec<Duration>,
    last: Duration,
    jitter_percent: u8,
}

impl Default for Schedule {
    fn default() -> Self {
        Self {
            steps: [5, 30, 120, 600, 1800].map(Duration::from_secs).to_vec(),
            last: Duration::from_secs(3600),
            jitter_percent: 20,
        }
    }
}

impl Schedule {
    /// Creates a schedule of these delays; the last one is repeated. Jitter is ±20 %.
    ///
    /// # Errors
    ///
    /// [`ScheduleError`] without any delay, or for a delay above [`MAX_DELAY`].
    pub fn new(delays: impl IntoIterator<Item = Duration>) -> Result<Self, ScheduleError> {
        let mut steps: Vec<_> = delays.into_iter().collect();
        if steps.iter().any(|step| *step > MAX_DELAY) {
            return Err(ScheduleError::TooLong);
        }
        let last = steps.pop().ok_or(ScheduleError::Empty)?;
        Ok(Self {
            steps,
            last,
            jitter_percent: 20,
        })
    }

    /// Sets other delays with the same jitter.
    ///
    /// # Errors
    ///
    /// The errors of [`new`](Self::new).
    pub fn with_delays(
        &self,
        delays: impl IntoIterator<Item = Duration>,
    ) -> Result<Self, ScheduleError> {
        Ok(Self {
            jitter_percent: self.jitter_percent,
            ..Self::new(delays)?
        })
    }

    /// Sets the jitter in percent of the delay, up and down; 0 turns it off.
    ///
    /// # Errors
    ///
    /// [`ScheduleError::Jitter`] above 100.
    pub fn with_jitter(mut self, percent: u8) -> Result<Self, ScheduleError> {
        if percent > 100 {
            return Err(ScheduleError::Jitter(percent));
        }
        self.jitter_percent = percent;
        Ok(self)
    }

    /// Returns the delay before reattempt `n` (1 = the first after the first attempt), without
    /// jitter.
    #[must_use]
    pub fn base(&self, n: u32) -> Duration {
        let index = usize::try_from(n.saturating_sub(1)).unwrap_or(usize::MAX);
        self.steps.get(index).copied().unwrap_or(self.last)
    }

    /// Returns the delay before reattempt `n`, with jitter drawn from `rng`, at most [`MAX_DELAY`].
    #[must_use]
    pub fn delay(&self, n: u32, rng: &mut (impl Rng + ?Sized)) -> Duration {
        let spread = u32::from(self.jitter_percent) * 10;
        let permille = 1000 - spread + rng.next_u32() % (2 * spread + 1);
        (self.base(n) * permille / 1000).min(MAX_DELAY)
    }
}

/// The error for an invalid schedule.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum ScheduleError {
    /// No delay was given.
    #[error("schedule: at least one delay is needed")]
    Empty,
    /// Jitter above 100 %.
    #[error("schedule: jitter of {0} % is above 100 %")]
    Jitter(u8),
    /// A delay above [`MAX_DELAY`].
    #[error("schedule: a delay is longer than 24 h")]
    TooLong,
}
