use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use apikey_core::{Drawn, Empty, Level, RateLimit};

/// A bucket that any number of concurrent requests draw from without waiting.
#[derive(Debug, Default)]
pub(super) struct Bucket(AtomicU64);

impl Bucket {
    #[inline]
    pub(super) fn draw(&self, limit: RateLimit, now: Duration) -> Result<Drawn, Empty> {
        let mut level = self.0.load(Ordering::Relaxed);
        loop {
            let drawn = Level(level).draw(limit, now)?;
            let stored = self.0.compare_exchange_weak(
                level,
                drawn.level.0,
                Ordering::Relaxed,
                Ordering::Relaxed,
            );
            match stored {
                Ok(_) => return Ok(drawn),
                Err(seen) => level = seen,
            }
        }
    }

    /// Returns whether a request could be drawn.
    #[inline]
    pub(super) fn look(&self, limit: RateLimit, now: Duration) -> Result<(), Empty> {
        let level = Level(self.0.load(Ordering::Relaxed));
        level.draw(limit, now).map(drop)
    }

    pub(super) fn is_full(&self, now: Duration) -> bool {
        Level(self.0.load(Ordering::Relaxed)).is_full(now)
    }
}
