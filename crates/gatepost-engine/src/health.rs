//! The engine's health.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gatepost_storage::StoreError;
use gatepost_storage::webhooks::QueueStats;

use crate::admission::Admission;
use crate::core::Core;
use crate::maintenance::{Maintenance, PARTITIONS_AHEAD};
use crate::meter;
use crate::settle::Settler;

/// The number of recent attempts in the error rate.
const WINDOW: u32 = 1000;

/// A snapshot for a status page or an alarm.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Health {
    /// Pending deliveries and occurrences, as some process last counted them: five seconds ago, or
    /// longer if counting takes more than 50 milliseconds.
    pub queue: QueueStats,
    /// The maintenance that this process does for all; `None` if another one leads.
    pub leads: Option<Leads>,
    /// Requests that this process has in flight.
    pub in_flight: usize,
    /// The share of failures among this process' recent attempts, 0 to 1.
    pub error_rate: f64,
    /// Whether outcomes can be recorded at present; while they cannot, no new delivery is sent.
    pub recording: bool,
    /// Whether this machine's clock differs from the database server's by at most 30 seconds; while
    /// it differs by more, this process neither claims nor reclaims.
    pub clock_is_right: bool,
    /// Owners without a realm in the store, as in a database from a time without tenants. Until
    /// they are placed their events are compared with the occurrences of every tenant, and the
    /// platform is asked about each. Counted up to 10,000; initially 1 if there are tenants. 0 is
    /// healthy.
    pub unplaced: u64,
    /// How often parts of this process' engine were restarted because they, the store or the
    /// platform's code had panicked. Nothing is lost by that, but it should not happen. The log
    /// names the part.
    pub restarts: u64,
}

/// Maintenance such as retention, which one process at a time does for all.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Leads {
    /// Partitions of the log that exist for the future: fewer than two is a warning. `None` if the
    /// log has no partitions.
    pub log_ahead: Option<u32>,
    /// How long ago each chore made a step: more than two minutes is a warning.
    pub chores: BTreeMap<&'static str, Duration>,
}

impl Health {
    /// Sets the gauges.
    fn measure(&self) {
        meter::queue(&self.queue);
        meter::condition(self.recording, self.clock_is_right, self.unplaced);
        let ahead = self.leads.as_ref().and_then(|leads| leads.log_ahead);
        let missing = |ahead| PARTITIONS_AHEAD.saturating_sub(ahead);
        meter::partitions_missing(ahead.map_or(0, missing));
    }
}

/// The sources of [`Health`].
#[derive(Debug)]
pub(crate) struct Probes {
    pub core: Arc<Core>,
    pub admission: Arc<Admission>,
    pub settler: Settler,
    pub error_rate: Arc<ErrorRate>,
    pub maintenance: Arc<Maintenance>,
}

impl Probes {
    /// Returns the health. If the store does not answer, outcomes cannot be recorded either.
    pub(crate) async fn health(&self) -> Result<Health, StoreError> {
        self.ask().await.inspect_err(|_| meter::recording(false))
    }

    async fn ask(&self) -> Result<Health, StoreError> {
        let now = self.core.clock.now();
        let queue = match self.core.store.queue_stats().await? {
            Some(queue) => queue,
            None => self.core.store.count_queue(now.unwrap_or_default()).await?,
        };
        let health = Health {
            queue,
            leads: self.leads(),
            in_flight: self.admission.in_flight(),
            error_rate: self.error_rate.get(),
            recording: now.is_ok() && !self.settler.is_failing(),
            clock_is_right: self.core.clock.is_right(),
            unplaced: self.core.access.unplaced(),
            restarts: self.core.lifecycle.restarts(),
        };
        health.measure();
        Ok(health)
    }

    fn leads(&self) -> Option<Leads> {
        let leads = Leads {
            log_ahead: self.maintenance.room().and_then(|room| room.ahead),
            chores: self.maintenance.chores(),
        };
        (leads != Leads::default()).then_some(leads)
    }
}

/// Recent successes and failures, regularly halved so that old ones lose weight.
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
    use gatepost_storage::webhooks::{DeliveryLog as _, LogHeadroom};
    use gatepost_testkit::fault::{Fault, FaultStore};

    use super::*;
    use crate::clock::EngineClock;
    use crate::config::Limits;
    use crate::meter::tests::Gauges;
    use crate::random::Random;
    use crate::testing::{BrokenClock, Records, core, maintenance, noon};

    #[test]
    fn error_rate_is_a_share_of_recent_attempts() {
        let rate = ErrorRate::default();
        assert_eq!(rate.get(), 0.0);
        (0..3).for_each(|_| rate.count(true));
        rate.count(false);
        assert_eq!(rate.get(), 0.25);
        (0..10_000).for_each(|_| rate.count(false));
        assert!(rate.get() > 0.99, "the past fades: {}", rate.get());
    }

    #[tokio::test]
    async fn health_is_available_and_not_recording_without_clock() {
        let records = Records::new();
        let broken = Arc::new(BrokenClock::at(noon()));
        let clock = EngineClock::start(broken.clone(), &*records.store).await;
        let clock = Arc::new(clock.unwrap());
        let webhook = records.webhook(|_| {}).await;
        records.claimed(webhook).await;
        let (settler, _writer) = Settler::new(records.store.clone(), clock.clone());
        let core = core(records.store.clone(), clock);
        let maintenance = maintenance(&core);
        maintenance.set_room(LogHeadroom {
            ahead: Some(1),
            bytes: 0,
        });
        let mut probes = Probes {
            core: core.clone(),
            maintenance: maintenance.clone(),
            admission: Admission::new(&Limits::default(), &Random::seeded(7)),
            settler,
            error_rate: Arc::default(),
        };
        let health = probes.health().await.unwrap();
        assert_eq!((health.queue.running, health.recording), (1, true));
        let log_ahead = health.leads.unwrap().log_ahead;
        assert_eq!((health.queue.counted, log_ahead), (noon(), Some(1)));
        records.claimed(webhook).await;
        let health = probes.health().await.unwrap();
        assert_eq!(health.queue.running, 1, "nobody has counted since");
        records.store.count_queue(noon()).await.unwrap();
        assert_eq!(probes.health().await.unwrap().queue.running, 2);
        broken.set_broken(true);
        let health = probes.health().await.unwrap();
        assert_eq!((health.queue.running, health.recording), (2, false));
        broken.set_broken(false);

        // An alert on the gauge must not wait for an unavailable store.
        let gauges = Gauges::default();
        let _measured = metrics::set_default_local_recorder(&gauges);
        probes.health().await.unwrap();
        assert_eq!(gauges.value("gatepost_recording"), 1.0);
        let away = Arc::new(FaultStore::new(records.store.clone()));
        away.fail("queue_stats", 1, Fault::Refused);
        probes.core = Arc::new(Core {
            store: away,
            ..(*core).clone()
        });
        probes.health().await.unwrap_err();
        assert_eq!(gauges.value("gatepost_recording"), 0.0);
    }
}
