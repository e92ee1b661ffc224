//! The outcomes of each webhook's deliveries in each hour. They are counted here, and written
//! shortly afterwards in batches: a process that dies loses the counts of the last two seconds.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use gatepost_storage::webhooks::{DeliveryLog, Disposition, HourlyCount, Settlement, WebhookStore};
use gatepost_storage::{Scope, StoreError};
use webhook_model::WebhookId;

use crate::accumulator::Accumulator;
use crate::clock::EngineClock;
use crate::guard::guarded;
use crate::lifecycle::Lifecycle;

/// The interval at which counts are written.
const FLUSH: Duration = Duration::from_secs(2);

type CountKey = (WebhookId, DateTime<Utc>);

#[derive(Debug)]
pub(crate) struct HourlyCounts {
    log: Arc<dyn DeliveryLog>,
    clock: Arc<EngineClock>,
    counted: Accumulator<CountKey, HourlyCount>,
}

/// Returns the counts for the end of an attempt. `bytes` are those of the stored record.
pub(crate) fn counted(
    settlement: &Settlement,
    webhook: WebhookId,
    bytes: u64,
) -> Option<HourlyCount> {
    let (sent, failed, retried) = match settlement.disposition {
        Disposition::Sent => (1, 0, 0),
        Disposition::Failed => (0, 1, 0),
        Disposition::Retry { .. } => (0, 0, 1),
        Disposition::Release { .. } => return None,
    };
    let attempt = settlement.attempt.as_ref();
    let took = attempt.map(|attempt| attempt.duration).unwrap_or_default();
    Some(HourlyCount {
        sent,
        last_sent: attempt.filter(|_| sent > 0).map(|attempt| attempt.started),
        failed,
        retried,
        milliseconds: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        bytes,
        ..HourlyCount::none(webhook, DateTime::UNIX_EPOCH)
    })
}

/// Returns the counts of all processes for a webhook from the hour of `from` on, newest first.
pub(crate) async fn counted_since(
    store: &dyn WebhookStore,
    webhook: WebhookId,
    from: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<Vec<HourlyCount>, StoreError> {
    let hour = TimeDelta::hours(1);
    let (from, before) = (from.duration_trunc(hour).unwrap_or(from), now + hour);
    let hours = u32::try_from((before - from).num_hours() + 1).unwrap_or(u32::MAX);
    let counts = store.hourly_counts(Scope::All, Some(webhook), from, before, hours);
    counts.await
}

/// Returns when the last counted attempt began that a target accepted.
pub(crate) fn last_sent(counts: &[HourlyCount]) -> Option<DateTime<Utc>> {
    counts.iter().filter_map(|count| count.last_sent).max()
}

/// Whether an attempt failed then. Cancelled, expired and lost deliveries count as failed too, but
/// took no time and have no bytes.
pub(crate) fn has_failed(count: &HourlyCount) -> bool {
    count.retried > 0 || (count.failed > 0 && (count.milliseconds > 0 || count.bytes > 0))
}

impl HourlyCounts {
    pub(super) fn new(log: Arc<dyn DeliveryLog>, clock: Arc<EngineClock>) -> Self {
        Self {
            log,
            clock,
            counted: Accumulator::new(|sum, more| HourlyCount::sum(&[sum, more]).unwrap_or(sum)),
        }
    }

    /// Adds to the current hour.
    pub(crate) fn add(&self, count: HourlyCount) {
        let Ok(now) = self.clock.now() else {
            return;
        };
        let hour = now.duration_trunc(TimeDelta::hours(1)).unwrap_or(now);
        let key = (count.webhook, hour);
        self.counted.add(key, HourlyCount { hour, ..count });
    }

    /// Writes the counts every two seconds, until the engine stops.
    pub(crate) async fn run(self: Arc<Self>, lifecycle: Lifecycle) {
        while lifecycle.is_running() {
            lifecycle.rest(FLUSH).await;
            self.flush().await;
        }
    }

    /// Writes the counts; once more when the engine has stopped.
    pub(crate) async fn flush(&self) {
        if let Err(error) = self.write().await {
            guarded(|| tracing::warn!(%error, "could not write what was counted"));
        }
    }

    /// Writes the counts. If the store fails, they are written with the next.
    async fn write(&self) -> Result<(), StoreError> {
        let mut unwritten = self.counted.take(|_| true);
        while let Some(batch) = unwritten.batch() {
            let counts: Vec<_> = batch.iter().map(|(_, count)| *count).collect();
            self.log.add_counts(&counts).await?;
            unwritten.written();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use gatepost_kv::MemoryStore;
    use gatepost_storage::Scope;
    use gatepost_testkit::fault::{Fault, FaultStore};

    use super::*;
    use crate::accumulator::MOST;
    use crate::testing::{BrokenClock, Records, noon};

    struct World {
        records: Records,
        store: Arc<FaultStore<MemoryStore>>,
        broken: Arc<BrokenClock>,
        counts: Arc<HourlyCounts>,
    }

    impl World {
        async fn new() -> Self {
            let records = Records::new();
            let store = Arc::new(FaultStore::new(records.store.clone()));
            let broken = Arc::new(BrokenClock::at(noon()));
            let clock = EngineClock::start(broken.clone(), &*store).await.unwrap();
            let counts = Arc::new(HourlyCounts::new(store.clone(), Arc::new(clock)));
            Self {
                records,
                store,
                broken,
                counts,
            }
        }

        /// Returns the written counts, oldest first: webhook, hour of the day, sent, milliseconds.
        async fn written(&self) -> Vec<(i64, i64, u64, u64)> {
            let (from, before) = (DateTime::<Utc>::MIN_UTC, DateTime::<Utc>::MAX_UTC);
            let log: &dyn DeliveryLog = &*self.records.store;
            let counts = log.hourly_counts(Scope::All, None, from, before, 100);
            let row = |c: HourlyCount| {
                let hour = (c.hour - noon()).num_hours();
                (c.webhook.0, hour, c.sent, c.milliseconds)
            };
            counts.await.unwrap().into_iter().rev().map(row).collect()
        }
    }

    fn sent(webhook: WebhookId) -> HourlyCount {
        HourlyCount {
            sent: 1,
            milliseconds: 20,
            bytes: 7,
            ..HourlyCount::none(webhook, noon())
        }
    }

    #[tokio::test(start_paused = true)]
    async fn hour_is_written_once_and_refused_counts_follow() {
        let world = World::new().await;
        let webhook = world.records.webhook(|_| {}).await;
        (0..3).for_each(|_| world.counts.add(sent(webhook)));
        world.store.fail("add_counts", 1, Fault::Refused);
        world.counts.flush().await;
        assert_eq!(world.written().await, []);
        world.broken.clock.advance(Duration::from_secs(3_600));
        world.counts.add(sent(webhook));
        let before = world.store.calls();
        world.counts.flush().await;
        assert_eq!(world.store.calls() - before, 1, "both in one call");
        let id = webhook.0;
        assert_eq!(world.written().await, [(id, 0, 3, 60), (id, 1, 1, 20)]);
        world.counts.flush().await;
        assert_eq!(world.store.calls() - before, 1, "there was nothing more");
    }

    #[tokio::test(start_paused = true)]
    async fn a_store_that_panics_costs_no_count() {
        let world = World::new().await;
        let webhook = world.records.webhook(|_| {}).await;
        let lifecycle = Lifecycle::default();
        let (counts, stopping) = (world.counts.clone(), lifecycle.clone());
        lifecycle.supervise("counts", move || counts.clone().run(stopping.clone()));
        world.counts.add(sent(webhook));
        world.store.fail("add_counts", 1, Fault::Panic);
        tokio::time::sleep(FLUSH * 3).await;
        assert!(world.store.has_failed());
        assert_eq!(world.written().await, [(webhook.0, 0, 1, 20)]);
    }

    #[tokio::test(start_paused = true)]
    async fn counts_are_written_every_two_seconds_and_bounded() {
        let world = World::new().await;
        let webhook = world.records.webhook(|_| {}).await;
        let lifecycle = Lifecycle::default();
        let (counts, stopping) = (world.counts.clone(), lifecycle.clone());
        lifecycle.supervise("counts", move || counts.clone().run(stopping.clone()));
        world.counts.add(sent(webhook));
        tokio::time::sleep(FLUSH * 2).await;
        assert_eq!(world.written().await, [(webhook.0, 0, 1, 20)]);
        for n in 0..MOST as i64 + 100 {
            world.counts.add(sent(WebhookId(n)));
        }
        assert_eq!(world.counts.counted.len(), MOST);
        world.broken.set_broken(true);
        world.counts.add(sent(webhook));
        lifecycle.shutdown(Duration::from_secs(60)).await;
        assert_eq!(world.counts.counted.len(), 0, "a shutdown writes it");
    }
}
