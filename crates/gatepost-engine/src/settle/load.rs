//! Whether settlements arrive at a high rate.

use std::time::Duration;

use tokio::time::Instant;

/// The number in one period that counts as high.
const MANY: usize = 16;

/// The numbers in this period and the one before.
#[derive(Debug)]
pub(super) struct Load {
    time: Duration,
    began: Instant,
    count: usize,
    before: usize,
}

impl Load {
    pub(super) fn new(time: Duration) -> Self {
        Self {
            time,
            began: Instant::now(),
            count: 0,
            before: 0,
        }
    }

    pub(super) fn add(&mut self, count: usize) {
        self.pass();
        self.count += count;
    }

    pub(super) fn is_high(&mut self) -> bool {
        self.pass();
        self.count.max(self.before) >= MANY
    }

    fn pass(&mut self) {
        let passed = self.began.elapsed();
        if passed < self.time {
            return;
        }
        let recent = passed < 3 * self.time;
        self.before = if recent { self.count } else { 0 };
        (self.count, self.began) = (0, Instant::now());
    }
}
