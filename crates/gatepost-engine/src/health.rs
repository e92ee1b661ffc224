//! How the engine is doing.

use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, Utc};
use gatepost_storage::StoreError;
use gatepost_storage::webhooks::WebhookStore;

use crate::admission::Admission;
use crate::clock::EngineClock;
use crate::judge::Judge;
use crate::settle::Settler;

/// How many recent attempts the error rate is made of.
const WINDOW: u32 = 1000;

/// A snapshot for a status page or an alarm.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Health {
    /// Deliveries waiting in the store, those of paused webhooks included.
    pub queued: u64,
    /// Deliveries under a lease, in all processes.
    pub running: u64,
    /// The oldest due time among waiting deliveries of active webhooks.
    pub oldest_due: Option<DateTime<Utc>>,
    /// Occurrences in the outbox.
    pub outbox: u64,
    /// Requests that this process has in flight.
    pub in_flight: usize,
    /// Share of failures among this process' recent attempts, 0 to 1.
    pub error_rate: f64,
    /// Whether outcomes can be recorded at present; while they cannot, nothing new is sent.
    pub recording: bool,
    /// Whether this machine's clock differs from the database server's by 30 seconds at most;
    /// while it differs by more, this process claims nothing and takes no claim back.
    pub clock_is_right: bool,
    /// Owners about whose place the store says nothing: of a database that was made before
    /// there were tenants. Until they are placed their events are compared with what happens in
    /// every tenant, and the platform is asked about each. Counted to 10,000; at first 1 where
    /// there are tenants. 0 is well.
    pub unplaced: u64,
}

/// What [`Health`] is read from.
#[derive(Debug)]
pub(crate) struct Probes {
    pub store: Arc<dyn WebhookStore>,
    pub clock: Arc<EngineClock>,
    pub admission: Arc<Admission>,
    pub settler: Settler,
    pub error_rate: Arc<ErrorRate>,
    pub judge: Arc<Judge>,
}

impl Probes {
    pub(crate) async fn health(&self) -> Result<Health, StoreError> {
        let now = self.clock.now();
        let stats = self.store.count_queue(now.unwrap_or_default()).await?;
        Ok(Health {
            queued: stats.queued,
            running: stats.running,
            oldest_due: stats.oldest_due,
            outbox: stats.outbox,
            in_flight: self.admission.in_flight.count(),
            error_rate: self.error_rate.get(),
            recording: now.is_ok() && !self.settler.is_failing(),
            clock_is_right: self.clock.is_right(),
            unplaced: self.judge.unplaced(),
        })
    }
}

/// Recent successes and failures: halved now and then, so that the past fades.
#[derive(Debug, Default)]
pub(crate) struct ErrorRate(Mutex<(u32, u32)>);

impl ErrorRate {
    pub(crate) fn count(&self, success: bool) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.0 + counts.1 >= WINDOW {
            *counts = (counts.0 / 2, counts.1 / 2);
        }
        if success {
            counts.0 += 1;
        } else {
            counts.1 += 1;
        }
    }

    pub(crate) fn get(&self) -> f64 {
        let (good, bad) = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if bad == 0 {
            0.0
        } else {
            f64::from(bad) / f64::from(good + bad)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Limits;
    use crate::judge::testing::one_system;
    use crate::testing::{BrokenClock, Records, noon};

    #[test]
    fn the_error_rate_is_a_share_of_recent_attempts() {
        let rate = ErrorRate::default();
        assert_eq!(rate.get(), 0.0);
        (0..3).for_each(|_| rate.count(true));
        rate.count(false);
        assert_eq!(rate.get(), 0.25);
        (0..10_000).for_each(|_| rate.count(false));
        assert!(rate.get() > 0.99, "the past fades: {}", rate.get());
    }

    #[tokio::test]
    async fn health_is_known_without_a_clock_and_says_so() {
        let records = Records::new();
        let broken = Arc::new(BrokenClock::at(noon()));
        let clock = EngineClock::start(broken.clone(), &*records.store).await;
        let clock = Arc::new(clock.unwrap());
        let webhook = records.webhook(|_| {}).await;
        records.claimed(webhook).await;
        let (settler, _writer) = Settler::new(records.store.clone(), clock.clone());
        let probes = Probes {
            store: records.store.clone(),
            judge: one_system(records.store.clone(), clock.clone()),
            clock,
            admission: Arc::new(Admission::new(&Limits::default())),
            settler,
            error_rate: Arc::default(),
        };
        let health = probes.health().await.unwrap();
        assert_eq!((health.running, health.recording), (1, true));
        broken.set_broken(true);
        let health = probes.health().await.unwrap();
        assert_eq!((health.running, health.recording), (1, false));
    }
}
