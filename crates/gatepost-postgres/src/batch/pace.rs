//! The size that a batch waits for.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The number of batches that leave without waiting for more, after one that waited in vain.
const REST: usize = 32;

/// Batches grow while more items arrive than they take, and wait for no more than recent batches
/// had. A single caller never waits; with a few callers that take turns, one in [`REST`] batches
/// waits.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// The weight that the next batch waits for; up to 1, callers need not gather.
    wanted: AtomicUsize,
    /// The number of batches that still leave without waiting.
    rest: AtomicUsize,
}

impl Pace {
    /// Returns whether a caller may do its own work.
    pub(super) fn is_idle(&self) -> bool {
        self.wanted.load(Ordering::Relaxed) <= 1
    }

    /// Returns the weight that the next batch must wait for.
    pub(super) fn wanted(&self, enough: usize) -> usize {
        self.wanted.load(Ordering::Relaxed).min(enough)
    }

    /// Records that a batch left with this number of items and this weight, and whether it reached
    /// the weight that it waited for.
    pub(super) fn took(&self, items: usize, weight: usize, in_time: bool) {
        if items <= 1 {
            self.wanted.store(0, Ordering::Relaxed);
            return;
        }
        let rest = self.rest.load(Ordering::Relaxed);
        let (wanted, rest) = match (in_time, rest) {
            (false, _) => (weight, REST),
            (true, 0) => (weight.saturating_mul(2), 0),
            (true, _) => (weight, rest - 1),
        };
        self.wanted.store(wanted, Ordering::Relaxed);
        self.rest.store(rest, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_caller_never_waits() {
        let pace = Pace::default();
        assert!(pace.is_idle());
        pace.took(5, 5, true);
        assert!(!pace.is_idle());
        pace.took(1, 1, false);
        assert!(pace.is_idle());
    }

    #[test]
    fn batches_grow_under_load_and_pause_after_timeout() {
        let pace = Pace::default();
        pace.took(4, 4, true);
        assert_eq!(pace.wanted(64), 8);
        pace.took(40, 40, true);
        assert_eq!(pace.wanted(64), 64);
        pace.took(50, 50, false);
        for _ in 0..REST {
            assert_eq!(pace.wanted(64), 50);
            pace.took(50, 50, true);
        }
        pace.took(50, 50, true);
        assert_eq!(pace.wanted(64), 64);
    }
}
