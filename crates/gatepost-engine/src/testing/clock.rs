//! A clock that breaks on command.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use chrono::{DateTime, Utc};
use gatepost_storage::{Clock, ManualClock};

/// A clock that panics while it is broken.
#[derive(Debug)]
pub(crate) struct BrokenClock {
    pub clock: ManualClock,
    broken: AtomicBool,
}

impl BrokenClock {
    pub(crate) fn at(now: DateTime<Utc>) -> Self {
        Self {
            clock: ManualClock::at(now),
            broken: AtomicBool::new(false),
        }
    }

    pub(crate) fn set_broken(&self, broken: bool) {
        self.broken.store(broken, Ordering::SeqCst);
    }

    fn check(&self) {
        assert!(!self.broken.load(Ordering::SeqCst), "the clock is broken");
    }
}

impl Clock for BrokenClock {
    fn now(&self) -> DateTime<Utc> {
        self.check();
        self.clock.now()
    }

    fn passed(&self) -> Option<Duration> {
        self.check();
        self.clock.passed()
    }
}
