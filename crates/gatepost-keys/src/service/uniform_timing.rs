//! Uniform timing of refusals.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// The length of a time step. A lookup in a local store takes less.
const LENGTH: Duration = Duration::from_millis(5);

/// The time at which a key was presented.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment(Instant);

impl Moment {
    pub(super) fn now() -> Self {
        Self(Instant::now())
    }

    /// Waits until a whole number of steps has passed, at least one.
    pub(super) async fn end(self) {
        let begun = self.0.elapsed().as_nanos() / LENGTH.as_nanos();
        let whole = u32::try_from(begun).unwrap_or(u32::MAX).saturating_add(1);
        sleep_until(self.0 + LENGTH * whole).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn refusal_takes_whole_number_of_time_steps() {
        let began = Instant::now();
        for (work, whole) in [(0, 5), (1, 5), (4, 5), (5, 10), (7, 10), (23, 25)] {
            let (moment, before) = (Moment::now(), Instant::now());
            tokio::time::sleep(Duration::from_millis(work)).await;
            moment.end().await;
            // Tokio's timers have a resolution of a millisecond.
            let took = before.elapsed().as_millis();
            assert!(
                (whole..=whole + 1).contains(&took),
                "{work}: {took}, {began:?}"
            );
        }
    }
}
