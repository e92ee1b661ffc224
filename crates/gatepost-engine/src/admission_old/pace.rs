//! A number of turns a second: for webhooks with a rate of their own, and for those that send what
//! was held.

use std::num::NonZeroU32;
use std::time::Duration;

use tokio::time::Instant;

const SECOND: Duration = Duration::from_secs(1);

/// At most this number of turns in any second.
#[derive(Debug)]
pub(super) struct Pace {
    pub(super) per_second: NonZeroU32,
    /// When all turns that were taken are over, one after the other.
    over: Instant,
}

impl Pace {
    pub(super) fn new(per_second: NonZeroU32, now: Instant) -> Self {
        Self {
            per_second,
            over: now,
        }
    }

    /// Whether there is a turn now.
    ///
    /// # Errors
    /// When there will be one.
    pub(super) fn check(&self, now: Instant) -> Result<(), Instant> {
        let ahead = SECOND - self.gap();
        match self.over.checked_sub(ahead) {
            Some(next) if next > now => Err(next),
            _ => Ok(()),
        }
    }

    /// Takes a turn.
    pub(super) fn take(&mut self, now: Instant) {
        self.over = self.over.max(now) + self.gap();
    }

    /// A turn was not used.
    pub(super) fn give_back(&mut self) {
        self.over = self.over.checked_sub(self.gap()).unwrap_or(self.over);
    }

    fn gap(&self) -> Duration {
        SECOND / self.per_second.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn in_no_second_are_there_more_turns_than_that_beyond_the_first() {
        let rate = NonZeroU32::new(5).unwrap();
        let mut pace = Pace::new(rate, Instant::now());
        let mut turns = Vec::new();
        while turns.len() < 25 {
            let now = Instant::now();
            match pace.check(now) {
                Ok(()) => {
                    pace.take(now);
                    turns.push(now);
                }
                Err(next) => tokio::time::sleep_until(next).await,
            }
        }
        assert_eq!(turns[4], turns[0], "a second's worth at once");
        let rest = turns[24] - turns[4];
        assert_eq!(rest, SECOND * 4, "then one each 200 ms");
    }
}
