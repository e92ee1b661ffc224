//! Decides whether and when there is another attempt.

use std::sync::Arc;

use delivery::{Attempt, RetryPolicy, Schedule};
use gatepost_storage::webhooks::Disposition;
use webhook_model::Webhook;

use crate::clock::EngineClock;
use crate::random::Random;
use crate::routes::Route;

#[derive(Debug)]
pub(crate) struct RetryPlan {
    schedule: Schedule,
    random: Arc<Random>,
    clock: Arc<EngineClock>,
}

impl RetryPlan {
    pub(crate) fn new(schedule: Schedule, random: Arc<Random>, clock: Arc<EngineClock>) -> Self {
        Self {
            schedule,
            random,
            clock,
        }
    }

    /// Returns how a claim ends after its attempt, the `made`th since the delivery was enqueued or
    /// replayed.
    pub(super) fn after(&self, attempt: &Attempt, made: u32, route: &Route) -> Disposition {
        if attempt.is_success() {
            return Disposition::Sent;
        }
        let policy = RetryPolicy::new(route.webhook.reattempts());
        let policy = policy.with_schedule(self.schedule_of(&route.webhook));
        let delay = self
            .random
            .with(|rng| policy.next_delay(made, attempt.retryable(), rng));
        // If the clock cannot be read at the end, it could be when the attempt began.
        let ended = || {
            self.clock
                .now()
                .unwrap_or(attempt.started + attempt.duration)
        };
        delay.map_or(Disposition::Failed, |delay| Disposition::Retry {
            due: ended() + delay,
        })
    }

    /// Returns the schedule. A webhook's own delays have the jitter of the platform's schedule.
    fn schedule_of(&self, webhook: &Webhook) -> Schedule {
        let own = webhook.retry_schedule.as_ref();
        // It always has a delay, and none is too long.
        let own = own.and_then(|own| self.schedule.with_delays(own.delays()).ok());
        own.unwrap_or_else(|| self.schedule.clone())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use gatepost_kv::MemoryStore;
    use webhook_model::Retries;

    use super::*;
    use crate::testing::{BrokenClock, noon, responded, route};

    #[tokio::test]
    async fn failure_is_retried_after_delay_until_none_remain() {
        let clock = Arc::new(BrokenClock::at(noon()));
        let engine_clock = EngineClock::start(clock.clone(), &MemoryStore::new()).await;
        let schedule = Schedule::new([Duration::from_secs(60)]).unwrap();
        let random = Arc::new(Random::seeded(7));
        let plan = RetryPlan::new(schedule, random, Arc::new(engine_clock.unwrap()));
        let webhook = route(|w| w.retries = Retries::new(1).unwrap());
        let failed = responded(500, noon());

        let after = |attempt: &Attempt, made| plan.after(attempt, made, &webhook);
        assert_eq!(after(&responded(200, noon()), 1), Disposition::Sent);
        assert_eq!(after(&failed, 2), Disposition::Failed);
        for broken in [false, true] {
            clock.set_broken(broken);
            let Disposition::Retry { due } = after(&failed, 1) else {
                panic!("retried, whether or not the clock can be read");
            };
            let wait = (due - noon()).num_seconds();
            assert!((48..=72).contains(&wait), "60 s ± 20 %, not {wait}");
        }
    }

    #[tokio::test]
    async fn webhook_retry_schedule_applies_and_retry_after_lengthens() {
        let clock = Arc::new(BrokenClock::at(noon()));
        let clock = EngineClock::start(clock, &MemoryStore::new()).await;
        let schedule = Schedule::default().with_jitter(0).unwrap();
        let random = Arc::new(Random::seeded(7));
        let plan = RetryPlan::new(schedule, random, Arc::new(clock.unwrap()));
        let webhook = route(|w| {
            w.retries = Retries::new(9).unwrap();
            w.retry_schedule = Some("7s, 1h, 90s".parse().unwrap());
        });
        let failed = responded(500, noon());
        let wait = |attempt: &Attempt, made| match plan.after(attempt, made, &webhook) {
            Disposition::Retry { due } => Some((due - noon()).num_seconds()),
            other => {
                assert_eq!(other, Disposition::Failed);
                None
            }
        };
        let waits = [1, 2, 3, 4].map(|made| wait(&failed, made));
        assert_eq!(waits, [Some(7), Some(3_600), Some(90), None]);
        let mut busy = responded(503, noon());
        busy.retry_after = Some(Duration::from_secs(60));
        let waits = [1, 2].map(|made| wait(&busy, made));
        assert_eq!(waits, [Some(60), Some(3_600)], "it only lengthens a delay");
    }
}
