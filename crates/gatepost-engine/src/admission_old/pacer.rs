//! The retry budget: however many retries are due, they leave one after the other.
//!
//! A storm of retries that left as fast as it can would keep every thread busy, and each first
//! attempt would wait behind hundreds of them.

use std::num::NonZeroU32;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// How long before their turn retries are claimed, so that one claim is for many.
const AHEAD: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub(crate) struct RetryPacer {
    /// The time between two; zero is no limit.
    gap: Duration,
    /// The turn of the next one.
    next: Mutex<Option<Instant>>,
}

impl RetryPacer {
    pub(crate) fn new(per_second: u32) -> Self {
        let gap = NonZeroU32::new(per_second).map(|rate| Duration::from_secs(1) / rate.get());
        Self {
            gap: gap.unwrap_or_default(),
            next: Mutex::default(),
        }
    }

    /// How many retries may be claimed now.
    pub(crate) fn room(&self, now: Instant) -> usize {
        if self.gap.is_zero() {
            return usize::MAX;
        }
        let next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = next.map_or(Duration::ZERO, |next| next.saturating_duration_since(now));
        let free = AHEAD.saturating_sub(taken).as_nanos() / self.gap.as_nanos();
        // With a gap longer than what is looked ahead there is still one.
        let first = usize::from(taken.is_zero());
        usize::try_from(free).unwrap_or(usize::MAX).max(first)
    }

    /// The turn of a retry that was claimed.
    pub(crate) fn turn(&self, now: Instant) -> Instant {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let turn = next.map_or(now, |next| next.max(now));
        *next = Some(turn + self.gap);
        turn
    }

    /// How long to wait before more may be claimed.
    pub(crate) fn pause(&self) -> Duration {
        (AHEAD / 2).max(self.gap)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn retries_leave_at_the_pace_and_are_claimed_a_little_ahead() {
        let (pace, start) = (RetryPacer::new(1000), Instant::now());
        assert_eq!(pace.room(start), 100);
        let turns: Vec<_> = (0..100).map(|_| pace.turn(start) - start).collect();
        let expected: Vec<_> = (0..100).map(Duration::from_millis).collect();
        assert_eq!(turns, expected);
        assert_eq!(pace.room(start), 0);
        tokio::time::advance(pace.pause()).await;
        assert_eq!(pace.room(Instant::now()), 50);
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_not_used_is_not_saved_up() {
        let pace = RetryPacer::new(1000);
        pace.turn(Instant::now());
        tokio::time::advance(Duration::from_secs(60)).await;
        let now = Instant::now();
        assert_eq!(pace.room(now), 100);
        assert_eq!(pace.turn(now), now);
        assert_eq!(pace.turn(now), now + Duration::from_millis(1));
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_pace_is_kept_and_none_is_no_limit() {
        let (slow, now) = (RetryPacer::new(1), Instant::now());
        assert_eq!(slow.room(now), 1);
        slow.turn(now);
        assert_eq!(slow.room(now), 0);
        tokio::time::advance(slow.pause()).await;
        assert_eq!(slow.room(Instant::now()), 1);

        let none = RetryPacer::new(0);
        assert_eq!(none.room(now), usize::MAX);
        assert_eq!((none.turn(now), none.turn(now)), (now, now));
    }
}
