//! Retries in the calling task, for callers without a queue.

use chrono::{DateTime, TimeDelta, Utc};
use rand::Rng;
use tokio::time::{Instant, sleep};

use super::core::Sender;
use crate::outcome::Attempt;
use crate::request::Request;
use crate::retry::RetryPolicy;

/// The attempts of a delivery, in order; at least one.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Delivered {
    /// The attempts before the last one.
    pub earlier: Vec<Attempt>,
    /// The final attempt.
    pub last: Attempt,
}

impl Delivered {
    /// Returns whether the last attempt succeeded.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.last.is_success()
    }

    /// Returns the number of attempts.
    #[must_use]
    pub fn attempts(&self) -> usize {
        self.earlier.len() + 1
    }
}

impl Sender {
    /// Sends until a success, a failure that no retry can help, or the last reattempt.
    ///
    /// It waits in the calling task as long as the policy's schedule requires: hours, with many
    /// retries. If the process ends, the delivery is lost; a durable queue is part of another
    /// crate. The wall time of a later attempt is `now` plus the elapsed time.
    ///
    /// `rng` spreads the delays. The future is `Send` if `rng` is: `StdRng` is, `rand::rng()` is
    /// not.
    pub async fn deliver(
        &self,
        request: &Request,
        policy: &RetryPolicy,
        now: DateTime<Utc>,
        rng: &mut (impl Rng + ?Sized),
    ) -> Delivered {
        let begun = Instant::now();
        let mut earlier = Vec::new();
        let mut made = 0;
        loop {
            let passed = TimeDelta::from_std(begun.elapsed()).unwrap_or(TimeDelta::MAX);
            let at = now
                .checked_add_signed(passed)
                .unwrap_or(DateTime::<Utc>::MAX_UTC);
            let last = self.send(request, at).await;
            made += 1;
            match policy.next_delay(made, last.retryable(), rng) {
                None => return Delivered { earlier, last },
                Some(delay) => {
                    earlier.push(last);
                    sleep(delay).await;
                }
            }
        }
    }
}
