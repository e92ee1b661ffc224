//! The part that takes settlements from workers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use gatepost_storage::webhooks::{Settled, Settlement, WebhookStore};
use tokio::sync::{mpsc, oneshot};

use super::counts::HourlyCounts;
use super::writer::{PendingOutcome, SettlementWriter};
use crate::clock::EngineClock;

/// Settlements that may wait; further workers wait with theirs.
const WAITING: usize = 4096;
/// While this number is not recorded, no new delivery is sent.
pub(crate) const UNRECORDED: usize = 1024;

/// Cheap to clone. When the last clone is dropped, the writer ends.
#[derive(Clone, Debug)]
pub(crate) struct Settler {
    queue: mpsc::Sender<PendingOutcome>,
    failing: Arc<AtomicBool>,
    unrecorded: Arc<Unrecorded>,
    /// The outcomes, by webhook and hour.
    pub(crate) counts: Arc<HourlyCounts>,
}

/// Settlements that wait.
#[derive(Debug, Default)]
struct Unrecorded {
    count: AtomicUsize,
    /// Whether a delivery was not sent because of that.
    refused: AtomicBool,
}

/// One of them.
struct CountGuard<'a>(&'a Unrecorded);

impl Unrecorded {
    fn begin(&self) -> CountGuard<'_> {
        self.count.fetch_add(1, Ordering::Relaxed);
        CountGuard(self)
    }
}

impl Drop for CountGuard<'_> {
    fn drop(&mut self) {
        self.0.count.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Settler {
    /// Creates the settler and its writer, which must be run for anything to be settled.
    pub(crate) fn new(
        store: Arc<dyn WebhookStore>,
        clock: Arc<EngineClock>,
    ) -> (Self, SettlementWriter) {
        let (queue, waiting) = mpsc::channel(WAITING);
        let failing = Arc::new(AtomicBool::new(false));
        let counts = Arc::new(HourlyCounts::new(store.clone(), clock.clone()));
        let writer = SettlementWriter::new(store, clock, waiting, failing.clone());
        let settler = Self {
            queue,
            failing,
            unrecorded: Arc::default(),
            counts,
        };
        (settler, writer)
    }

    /// Whether outcomes cannot be recorded at present, so that no new delivery may be sent.
    pub(crate) fn is_failing(&self) -> bool {
        self.failing.load(Ordering::Relaxed)
    }

    /// Whether so many outcomes wait to be recorded that no new delivery may be sent.
    pub(crate) fn is_full(&self) -> bool {
        let is_full = self.unrecorded.count.load(Ordering::Relaxed) >= UNRECORDED;
        if is_full {
            self.unrecorded.refused.store(true, Ordering::Relaxed);
        }
        is_full
    }

    /// Returns once whether it was full and is not any more.
    pub(crate) fn has_room_again(&self) -> bool {
        let Unrecorded { count, refused } = &*self.unrecorded;
        count.load(Ordering::Relaxed) < UNRECORDED && refused.swap(false, Ordering::Relaxed)
    }

    /// Records a settlement, however long the store is unavailable: an expired lease still settles
    /// as long as no other process has the delivery, and becomes `Stale` otherwise. `None` when the
    /// store refuses its content. An `urgent` one, for which others wait, is recorded immediately,
    /// or two milliseconds after the previous recording.
    pub(crate) async fn settle(&self, settlement: Settlement, urgent: bool) -> Option<Settled> {
        let (done, settled) = oneshot::channel();
        let _counted = self.unrecorded.begin();
        let waiting = PendingOutcome::new(settlement, urgent, done);
        self.queue.send(waiting).await.ok()?;
        settled.await.ok()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use gatepost_storage::webhooks::{DeliveryLog as _, DeliveryState, Disposition};
    use gatepost_testkit::fault::{Fault, FaultStore};

    use super::*;
    use crate::lifecycle::Lifecycle;
    use crate::testing::{BrokenClock, Records, noon};

    /// A settler over a store and a clock that fail on command, with one claimed delivery.
    struct World {
        records: Records,
        store: Arc<FaultStore<gatepost_kv::MemoryStore>>,
        clock: Arc<BrokenClock>,
        settler: Settler,
    }

    impl World {
        async fn new() -> Self {
            let records = Records::new();
            let store = Arc::new(FaultStore::new(records.store.clone()));
            let clock = Arc::new(BrokenClock::at(noon()));
            let engine_clock = EngineClock::start(clock.clone(), &*store).await.unwrap();
            let (settler, writer) = Settler::new(store.clone(), Arc::new(engine_clock));
            let writer = Arc::new(writer);
            Lifecycle::default().supervise_unawaited("settle", move || writer.clone().run());
            Self {
                records,
                store,
                clock,
                settler,
            }
        }

        async fn sent(&self) -> Settlement {
            let webhook = self.records.webhook(|_| {}).await;
            Settlement {
                claim: self.records.claimed(webhook).await,
                disposition: Disposition::Sent,
                status_info: "on purpose".to_owned(),
                attempt: None,
                keep_message: true,
            }
        }

        /// Whether it is recorded after `over`; asserts that it is not before, and that this is
        /// known.
        async fn settles_after(&self, settlement: Settlement, over: impl FnOnce()) -> bool {
            let (settler, claim) = (self.settler.clone(), settlement.claim);
            let settling = tokio::spawn(async move { settler.settle(settlement, false).await });
            tokio::time::sleep(Duration::from_secs(30)).await;
            assert!(self.settler.is_failing() && !settling.is_finished());
            over();
            let settled = settling.await.unwrap();
            assert!(!self.settler.is_failing());
            let stored = self.records.store.delivery(claim.delivery).await.unwrap();
            settled == Some(Settled::Done) && stored.unwrap().state == DeliveryState::Sent
        }
    }

    #[tokio::test(start_paused = true)]
    async fn outcomes_refused_during_store_outage_are_recorded_afterwards() {
        let world = World::new().await;
        let settlement = world.sent().await;
        world.store.set_refused("settle", true);
        let back = || world.store.set_refused("settle", false);
        assert!(world.settles_after(settlement, back).await);
    }

    #[tokio::test(start_paused = true)]
    async fn unreadable_clock_delays_recording_without_losing_outcomes() {
        let world = World::new().await;
        let settlement = world.sent().await;
        world.clock.set_broken(true);
        let mended = || world.clock.set_broken(false);
        assert!(world.settles_after(settlement, mended).await);
    }

    #[tokio::test(start_paused = true)]
    async fn a_store_that_panics_costs_one_try() {
        let world = World::new().await;
        let settlement = world.sent().await;
        world.store.fail("settle", 1, Fault::Panic);
        let settled = world.settler.settle(settlement, false).await;
        assert_eq!(settled, Some(Settled::Done));
        assert!(world.store.has_failed() && !world.settler.is_failing());
    }

    #[tokio::test(start_paused = true)]
    async fn refused_outcome_is_dropped_and_delays_no_other() {
        let world = World::new().await;
        let (poison, good) = (world.sent().await, world.sent().await);
        world.store.set_poison(poison.claim.delivery);
        let (refused, settled) = tokio::join!(
            world.settler.settle(poison, false),
            world.settler.settle(good, false)
        );
        assert_eq!((refused, settled), (None, Some(Settled::Done)));
        assert!(!world.settler.is_failing(), "claiming continues");
    }

    #[tokio::test(start_paused = true)]
    async fn restarted_writer_continues_with_waiting_outcomes() {
        let records = Records::new();
        let webhook = records.webhook(|_| {}).await;
        let settlement = Settlement {
            claim: records.claimed(webhook).await,
            disposition: Disposition::Sent,
            status_info: String::new(),
            attempt: None,
            keep_message: true,
        };
        let store = Arc::new(FaultStore::new(records.store.clone()));
        let clock = records.engine_clock().await;
        let (settler, writer) = Settler::new(store.clone(), clock);
        let writer = Arc::new(writer);
        store.set_refused("settle", true);
        let first = tokio::spawn(writer.clone().run());
        let settling = tokio::spawn(async move { settler.settle(settlement, false).await });
        tokio::time::sleep(Duration::from_secs(5)).await;
        first.abort();
        assert!(first.await.is_err());

        store.set_refused("settle", false);
        let second = tokio::spawn(writer.run());
        assert_eq!(settling.await.unwrap(), Some(Settled::Done));
        second.await.unwrap();
    }

    /// Settles this number a hundred times, at this interval, with the last of each group urgent if
    /// wanted: returns how often the store was called, and how long the last one took.
    async fn recorded(each: usize, milliseconds: u64, urgent: bool) -> (u64, Duration) {
        let world = World::new().await;
        let mut settlements = Vec::new();
        for _ in 0..100 * each {
            settlements.push(world.sent().await);
        }
        let (before, mut settling) = (world.store.calls(), Vec::new());
        for (n, settlement) in (1..).zip(settlements) {
            let (settler, is_last) = (world.settler.clone(), n % each == 0);
            settling.push(tokio::spawn(async move {
                let began = tokio::time::Instant::now();
                let settled = settler.settle(settlement, urgent && is_last).await;
                assert_eq!(settled, Some(Settled::Done));
                began.elapsed()
            }));
            if is_last {
                tokio::time::sleep(Duration::from_millis(milliseconds)).await;
            }
        }
        let mut took = Duration::ZERO;
        for settling in settling {
            took = settling.await.unwrap();
        }
        (world.store.calls() - before, took)
    }

    #[tokio::test(start_paused = true)]
    async fn frequent_outcomes_are_batched_and_single_ones_immediate() {
        assert_eq!(recorded(1, 2, false).await, (100, Duration::ZERO));
        let (calls, took) = recorded(10, 2, false).await;
        assert!(calls <= 25, "{calls}");
        assert!(took <= Duration::from_millis(11), "{took:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn urgent_outcome_flushes_all_within_three_milliseconds() {
        let (calls, took) = recorded(10, 1, true).await;
        assert!(calls <= 60, "{calls}");
        assert!(took <= Duration::from_millis(3), "{took:?}");
        assert_eq!(recorded(20, 5, true).await, (100, Duration::ZERO), "rarer");
    }

    #[tokio::test(start_paused = true)]
    async fn settler_is_full_at_limit_and_clears_once() {
        let world = World::new().await;
        let settlement = world.sent().await;
        world.store.set_refused("settle", true);
        let mut settling = Vec::new();
        for n in 0..UNRECORDED {
            assert!(!world.settler.is_full(), "{n}");
            let (settler, mut settlement) = (world.settler.clone(), settlement.clone());
            settlement.status_info = n.to_string();
            settling.push(tokio::spawn(async move {
                settler.settle(settlement, false).await
            }));
            tokio::task::yield_now().await;
        }
        assert!(world.settler.is_full() && !world.settler.has_room_again());
        world.store.set_refused("settle", false);
        for settling in settling {
            settling.await.unwrap();
        }
        assert!(world.settler.has_room_again() && !world.settler.has_room_again());
    }
}
