//! Maintenance over a memory store, a fault store and a clock that tests set.

mod leader;

use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use gatepost_kv::MemoryStore;
use gatepost_storage::owners::OwnerStore as _;
use gatepost_storage::webhooks::{
    AttemptRecord, Cascade, DeliveryState, Disposition, QueueStore as _, RecordStore as _,
    Settlement,
};
use gatepost_testkit::fault::{Fault, FaultStore};
use webhook_model::Activity;

use super::Maintenance;
use crate::clock::EngineClock;
use crate::testing::{BrokenClock, Records, core, maintenance, noon};

struct World {
    records: Records,
    store: Arc<FaultStore<MemoryStore>>,
    broken: Arc<BrokenClock>,
    maintenance: Arc<Maintenance>,
}

impl World {
    async fn new() -> Self {
        let records = Records::new();
        let store = Arc::new(FaultStore::new(records.store.clone()));
        let broken = Arc::new(BrokenClock::at(noon()));
        let clock = EngineClock::start(broken.clone(), &*store).await;
        let clock = Arc::new(clock.unwrap());
        let maintenance = maintenance(&core(store.clone(), clock));
        Self {
            records,
            store,
            broken,
            maintenance,
        }
    }

    fn lead(&self) {
        let lifecycle = &self.maintenance.core.lifecycle;
        lifecycle.supervise_shared("leader", &self.maintenance, Maintenance::lead);
    }

    fn tend_claims(&self) {
        let maintenance = self.maintenance.clone();
        let lifecycle = &self.maintenance.core.lifecycle;
        lifecycle.supervise("claims", move || maintenance.clone().tend_claims());
    }

    /// Advances every clock.
    async fn pass(&self, seconds: u64) {
        for _ in 0..seconds {
            self.broken.clock.advance(Duration::from_secs(1));
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn claim_is_reclaimed_when_its_lease_ends() {
    let world = World::new().await;
    let webhook = world.records.webhook(|_| {}).await;
    let claim = world.records.claimed(webhook).await;
    world.tend_claims();
    world.pass(58).await;
    let state = async || world.records.stored(claim.delivery).await.state;
    assert_eq!(state().await, DeliveryState::Running);
    world.maintenance.admission.take_look();
    world.pass(4).await;
    assert_eq!(state().await, DeliveryState::Queued);
    let admission = &world.maintenance.admission;
    assert!(admission.take_look(), "the dispatcher is woken");
}

#[tokio::test(start_paused = true)]
async fn clock_step_pauses_reclaims_for_the_longest_lease() {
    let world = World::new().await;
    let webhook = world.records.webhook(|_| {}).await;
    let claim = world.records.claimed(webhook).await;
    world.tend_claims();
    world.pass(2).await;
    // The part is restarted while it has to remember the step.
    world.store.fail("server_time", 1, Fault::Panic);
    world.broken.clock.jump(TimeDelta::days(1));
    world.pass(143).await;
    assert!(world.store.has_failed(), "the part panicked");
    let state = async || world.records.stored(claim.delivery).await.state;
    assert_eq!(state().await, DeliveryState::Running);
    world.pass(20).await;
    assert_eq!(state().await, DeliveryState::Queued);
}

/// Pending deliveries are due by the earlier clock, not by the new one that is a day later.
#[tokio::test(start_paused = true)]
async fn waiting_deliveries_are_due_after_a_step_back() {
    let world = World::new().await;
    let webhook = world.records.webhook(|_| {}).await;
    let first = world.records.waiting(webhook, "first").await;
    let day = TimeDelta::days(1);
    let retry = async |began, delay| {
        let claim = world.records.claimed(webhook).await;
        let settlement = Settlement {
            claim,
            disposition: Disposition::Retry {
                due: noon() + delay,
            },
            status_info: String::new(),
            attempt: Some(AttemptRecord::fetched(began)),
            keep_message: true,
        };
        let store = &world.records.store;
        store.settle(vec![settlement], noon()).await.unwrap();
        claim.delivery
    };
    let (soon, hour) = (TimeDelta::seconds(60), TimeDelta::hours(1));
    let retried = retry(noon(), soon).await;
    let left_alone = retry(noon(), hour).await;
    let tried_long_ago = retry(noon() - TimeDelta::days(2), soon).await;
    world.tend_claims();
    world.pass(2).await;
    world.broken.clock.jump(-day);
    world.store.fail("list_deliveries", 1, Fault::Refused);
    world.store.fail("hasten", 2, Fault::Refused);
    world.pass(6).await;
    assert!(world.store.has_failed(), "the store failed");
    let due = async |id| world.records.stored(id).await.due;
    let then = noon() - day;
    let second = TimeDelta::seconds(1);
    assert!(due(first).await <= then + TimeDelta::seconds(6));
    for (id, delay) in [(retried, soon), (left_alone, hour)] {
        let due = due(id).await;
        assert!(due >= then + delay, "early: {due}");
        assert!(due <= then + delay + second, "late: {due}");
    }
    assert_eq!(
        due(tried_long_ago).await,
        noon() + soon,
        "its delay may be as long"
    );
    let admission = &world.maintenance.admission;
    assert!(admission.take_look(), "the dispatcher is woken");
    let looked = world.store.calls_of("list_deliveries");
    world.pass(5).await;
    assert_eq!(world.store.calls_of("list_deliveries"), looked, "once");
}

#[tokio::test(start_paused = true)]
async fn unreadable_clock_stops_reclaims_until_readable() {
    let world = World::new().await;
    let webhook = world.records.webhook(|_| {}).await;
    let claim = world.records.claimed(webhook).await;
    world.tend_claims();
    world.broken.set_broken(true);
    world.pass(70).await;
    let state = async || world.records.stored(claim.delivery).await.state;
    assert_eq!(state().await, DeliveryState::Running);
    world.broken.set_broken(false);
    world.pass(2).await;
    assert_eq!(state().await, DeliveryState::Queued);
}

#[tokio::test(start_paused = true)]
async fn clock_skew_pauses_reclaims_until_a_lease_later() {
    let world = World::new().await;
    let webhook = world.records.webhook(|_| {}).await;
    let claim = world.records.claimed(webhook).await;
    world.tend_claims();
    let server = |seconds| {
        world
            .store
            .set_server_time(noon() + TimeDelta::seconds(seconds));
    };
    server(3600);
    world.maintenance.core.clock.compare(&*world.store).await;
    world.pass(10).await;
    let state = async || world.records.stored(claim.delivery).await.state;
    assert!(!world.maintenance.core.clock.is_right());
    let right_for = async |seconds: std::ops::Range<i64>| {
        for second in seconds {
            server(second);
            world.pass(1).await;
        }
    };
    right_for(10..150).await;
    assert!(world.maintenance.core.clock.is_right());
    assert_eq!(state().await, DeliveryState::Running);
    right_for(150..170).await;
    assert_eq!(state().await, DeliveryState::Queued);
}

#[tokio::test(start_paused = true)]
async fn old_deliveries_are_removed_and_held_ones_expire() {
    let world = World::new().await;
    let webhook = world.records.webhook(|_| {}).await;
    let paused = world
        .records
        .webhook(|w| w.activity = Activity::Paused)
        .await;
    let held = world.records.waiting(paused, "held").await;
    let claim = world.records.claimed(webhook).await;
    let settlement = Settlement {
        claim,
        disposition: Disposition::Sent,
        status_info: String::new(),
        attempt: None,
        keep_message: true,
    };
    world
        .records
        .store
        .settle(vec![settlement], noon())
        .await
        .unwrap();
    world.lead();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(world.records.deliveries().await.len(), 2);

    let days = |n: u64| Duration::from_secs(n * 86_400);
    world.broken.clock.advance(days(31));
    tokio::time::sleep(Duration::from_secs(61)).await;
    let stored = world.records.stored(held).await;
    assert_eq!(stored.state, DeliveryState::Error);
    assert_eq!(stored.status_info, "expired while it waited");
    world.broken.clock.advance(days(40));
    tokio::time::sleep(Duration::from_secs(61)).await;
    assert!(world.records.deliveries().await.is_empty());
}

/// A clock that was set by mistake is set back a moment later: rows removed in between could not be
/// restored.
#[tokio::test(start_paused = true)]
async fn clock_step_delays_expiry_of_held_deliveries() {
    let world = World::new().await;
    let paused = |w: &mut webhook_model::Webhook| w.activity = Activity::Paused;
    let held = world.records.webhook(paused).await;
    let held = world.records.waiting(held, "held").await;
    world.lead();
    world.tend_claims();
    world.pass(58).await;
    world.broken.clock.jump(TimeDelta::days(31));
    world.pass(100).await;
    let state = async || world.records.stored(held).await.state;
    assert_eq!(state().await, DeliveryState::Queued);
    // The clock was right.
    world.pass(150).await;
    assert_eq!(state().await, DeliveryState::Error);
}

impl World {
    /// Deletes a webhook with deliveries: their rows are hidden, but still stored.
    async fn gone(&self, deliveries: usize) {
        let webhook = self.records.webhook(|_| {}).await;
        for _ in 0..deliveries {
            self.records.waiting(webhook, "x").await;
        }
        let store = &self.records.store;
        let deleted = store.delete_webhook(webhook, Cascade::Refuse, noon()).await;
        deleted.unwrap();
    }

    /// Whether any deleted row is still stored; removes one row if so.
    async fn is_left(&self) -> bool {
        self.records.store.remove_gone(1, noon()).await.unwrap() > 0
    }
}

#[tokio::test(start_paused = true)]
async fn deleted_records_are_removed_in_batches() {
    let world = World::new().await;
    world.gone(900).await;
    assert!(world.is_left().await, "control");
    world.lead();
    world.pass(10).await;
    assert!(!world.is_left().await);
    world.gone(1).await;
    world.pass(10).await;
    assert!(!world.is_left().await, "it continues to look");
}

#[tokio::test(start_paused = true)]
async fn removal_takes_at_most_a_tenth_of_time() {
    let world = World::new().await;
    world.gone(500).await;
    let took = Duration::from_secs(1);
    world.store.fail("remove_gone", 1, Fault::Late(took));
    world.lead();
    tokio::time::sleep(took + Duration::from_millis(1)).await;
    let calls = || world.store.calls_of("remove_gone");
    let before = calls();
    tokio::time::sleep(9 * took - Duration::from_millis(10)).await;
    assert_eq!(calls(), before);
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert!(calls() > before);
}

#[tokio::test(start_paused = true)]
async fn cleanup_waits_until_lease_of_another_leader_ends() {
    let world = World::new().await;
    let until = noon() + TimeDelta::seconds(90);
    let lease = world.store.lease("leader", 1, until, noon());
    assert!(lease.await.unwrap());
    let paused = world
        .records
        .webhook(|w| w.activity = Activity::Paused)
        .await;
    let held = world.records.waiting(paused, "held").await;
    world.gone(5).await;
    world.lead();
    world.pass(80).await;
    assert!(world.is_left().await);
    world.broken.clock.advance(Duration::from_secs(31 * 86_400));
    let state = async || world.records.stored(held).await.state;
    assert_eq!(state().await, DeliveryState::Queued);
    world.pass(130).await;
    assert_eq!(state().await, DeliveryState::Error);
    assert!(!world.is_left().await);
}
