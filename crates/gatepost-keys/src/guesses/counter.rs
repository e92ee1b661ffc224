//! Failure counters: a number of failures is free, and each further one blocks for twice as long.

use std::time::Duration;

use super::limits::FailureLimit;

/// The failures of one address, account, or known pair. Times are those of the limiter's timer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counter {
    /// Failures that were not forgiven up to `settled`.
    failures: u32,
    settled: Duration,
    shut_until: Duration,
}

/// A counted failure, which can be taken back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Charge {
    /// 0 if further failures no longer increase the delay.
    added: u32,
    before: Duration,
    after: Duration,
}

impl Counter {
    /// Returns how long attempts are blocked; `None` if they are allowed.
    pub(super) fn wait(&self, now: Duration) -> Option<Duration> {
        let left = self.shut_until.saturating_sub(now);
        (!left.is_zero()).then_some(left)
    }

    /// Counts a failure, and blocks attempts if there were too many. Returns the remaining time if
    /// they are blocked.
    pub(super) fn charge(
        &mut self,
        limit: &FailureLimit,
        now: Duration,
    ) -> Result<Charge, Duration> {
        if let Some(left) = self.wait(now) {
            return Err(left);
        }
        self.settle(limit, now);
        let (failures, before) = (self.failures, self.shut_until);
        self.failures = (failures + 1).min(limit.most());
        self.shut_until = now + limit.delay(self.failures);
        Ok(Charge {
            added: self.failures - failures,
            before,
            after: self.shut_until,
        })
    }

    /// Takes back a failure, unless a later one has blocked attempts again.
    pub(super) fn take_back(&mut self, charge: Charge, limit: &FailureLimit, now: Duration) {
        self.settle(limit, now);
        self.failures = self.failures.saturating_sub(charge.added);
        if self.shut_until == charge.after {
            self.shut_until = charge.before;
        }
    }

    /// Returns the value of this counter: the one with the lowest value is evicted.
    pub(super) fn worth(&self, limit: &FailureLimit, now: Duration) -> (u32, Duration) {
        let mut settled = *self;
        settled.settle(limit, now);
        (settled.failures, self.settled)
    }

    /// Forgives old failures.
    fn settle(&mut self, limit: &FailureLimit, now: Duration) {
        let forgiven = limit.forgiven_in(now.saturating_sub(self.settled));
        if forgiven >= self.failures {
            (self.failures, self.settled) = (0, now);
        } else {
            self.failures -= forgiven;
            self.settled += limit.forgiven_every() * forgiven;
        }
    }
}
