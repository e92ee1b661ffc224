//! One scheduler, without targets.

use std::time::Duration;

use gatepost_storage::webhooks::QueueClass;
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use tokio::time::Instant;

use super::sim::{added, millis, secs};
use crate::scheduler::{Config, Count, History, Outcome, Permit, Scheduler, Waiting, Webhook};

/// A scheduler, and the time.
pub(super) struct Bench {
    pub scheduler: Scheduler,
    pub now: Instant,
}

impl Bench {
    pub(super) fn new(config: Config) -> Self {
        let scheduler = Scheduler::new(config, StdRng::seed_from_u64(1));
        let now = Instant::now() + secs(3_600);
        Self { scheduler, now }
    }

    /// Adds this number of messages to a queue.
    pub(super) fn ready(&mut self, webhook: &Webhook, queue: QueueClass, count: u32) {
        self.ready_as(webhook, queue, count, History::New);
    }

    pub(super) fn ready_as(
        &mut self,
        webhook: &Webhook,
        queue: QueueClass,
        count: u32,
        record: History,
    ) {
        let count = Count::Added(count);
        let waiting = Waiting {
            count,
            record,
            ..added(self.now)
        };
        self.scheduler.ready(webhook, queue, waiting, self.now);
    }

    pub(super) fn permits(&mut self) -> Vec<Permit> {
        let mut permits = Vec::new();
        self.scheduler.next_batch(10_000, self.now, &mut permits);
        permits
    }

    pub(super) fn release(&mut self, permits: Vec<Permit>, outcome: Outcome) -> Option<Duration> {
        let (took, now) = (millis(1), self.now);
        let permits = permits.into_iter();
        let holds = permits.map(|permit| self.scheduler.release(permit, outcome, took, now));
        holds.fold(None, Option::or)
    }

    /// Returns when permits are given within this time, if each request responds immediately.
    pub(super) fn begun(&mut self, within: Duration) -> Vec<Duration> {
        let (start, mut begun) = (self.now, Vec::new());
        loop {
            let permits = self.permits();
            begun.extend(permits.iter().map(|_| self.now - start));
            let is_idle = permits.is_empty();
            self.release(permits, Outcome::Responded);
            if is_idle {
                let next = self.scheduler.next_time();
                let Some(next) = next.filter(|next| *next <= start + within) else {
                    return begun;
                };
                self.now = self.now.max(next);
            }
        }
    }
}
