//! The choice of the leading process, its intervals, and its failures.

use std::sync::Arc;
use std::time::Duration;

use gatepost_storage::webhooks::DeliveryLog as _;
use gatepost_testkit::fault::Fault;

use super::*;
use crate::core::Core;

const SECOND: Duration = Duration::from_secs(1);

impl World {
    /// Starts another process on the store.
    fn begin(&self, holder: u128) -> Arc<Maintenance> {
        let process = maintenance(&Arc::new(Core {
            holder,
            ..(*self.maintenance.core).clone()
        }));
        let lifecycle = &self.maintenance.core.lifecycle;
        lifecycle.supervise_shared("leader", &process, Maintenance::lead);
        process
    }

    fn counts(&self) -> u64 {
        self.store.calls_of("count_queue")
    }
}

#[tokio::test(start_paused = true)]
async fn queue_is_counted_every_five_seconds_by_leader() {
    let world = World::new().await;
    for holder in 1..=4 {
        world.begin(holder);
    }
    world.pass(100).await;
    assert!((19..=22).contains(&world.counts()), "{}", world.counts());
    let leases = world.store.calls_of("lease");
    assert!(leases <= 4 + 3 * 4 + 4, "{leases}");
    assert!(world.records.store.queue_stats().await.unwrap().is_some());
}

#[tokio::test(start_paused = true)]
async fn counting_takes_at_most_a_hundredth_of_time() {
    let world = World::new().await;
    world.store.fail("count_queue", 1, Fault::Late(2 * SECOND));
    world.begin(1);
    world.pass(1).await;
    world.begin(2);
    world.pass(200).await;
    assert_eq!(world.counts(), 1);
    world.pass(10).await;
    assert!(world.counts() >= 2);
}

#[tokio::test(start_paused = true)]
async fn another_process_counts_after_leader_lease_ends() {
    let world = World::new().await;
    let until = noon() + TimeDelta::seconds(61);
    let lease = world.store.lease("leader", 1, until, noon());
    assert!(lease.await.unwrap());
    world.begin(2);
    world.pass(59).await;
    assert_eq!(world.counts(), 0);
    world.pass(40).await;
    assert!(world.counts() > 5);
}

#[tokio::test(start_paused = true)]
async fn retention_runs_every_ten_seconds_in_one_process() {
    let world = World::new().await;
    world.store.fail("prepare_log", 2, Fault::Refused);
    let processes = [1, 2, 3].map(|holder| world.begin(holder));
    world.pass(100).await;
    let calls = world.store.calls_of("prepare_log");
    assert!((10..=11).contains(&calls), "{calls}");
    assert!(world.store.has_failed());
    let known = processes.iter().filter(|process| process.room().is_some());
    assert_eq!(known.count(), 1, "the one that does it knows");
    let ages: Vec<_> = processes.iter().map(|process| process.chores()).collect();
    let leads = ages.iter().filter(|ages| !ages.is_empty()).count();
    assert_eq!(leads, 1);
}

#[tokio::test(start_paused = true)]
async fn failing_hanging_or_panicking_chore_delays_no_other() {
    for fault in [Fault::Refused, Fault::Hang(3_600 * SECOND), Fault::Panic] {
        let world = World::new().await;
        world.gone(100).await;
        world.store.fail("prepare_log", 1, fault);
        let process = world.begin(1);
        world.pass(5).await;
        assert!(!process.chores().contains_key("prepare log"));
        world.pass(60).await;
        assert!(world.counts() > 4, "{fault:?}: {}", world.counts());
        assert!(!world.is_left().await, "{fault:?}");
        let ages = process.chores();
        assert_eq!(ages.len(), 6, "{fault:?}: {ages:?}");
        assert!(ages.values().all(|age| *age <= 61 * SECOND), "{ages:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn process_that_gets_nothing_done_lets_another_lead() {
    let world = World::new().await;
    let calls = [
        "prepare_log",
        "count_queue",
        "queues, beyond",
        "expire_held",
        "purge",
        "remove_gone",
    ];
    let sick = world.begin(1);
    world.pass(1).await;
    assert!(!sick.chores().is_empty());
    let refuse = |refused| {
        for call in calls {
            world.store.set_refused(call, refused);
        }
    };
    refuse(true);
    world.pass(50).await;
    let well = world.begin(2);
    refuse(false);
    world.pass(60).await;
    assert!(sick.chores().is_empty());
    assert_eq!(well.chores().len(), 6);
}

#[tokio::test(start_paused = true)]
async fn unannounced_queue_is_found_by_the_leader() {
    let world = World::new().await;
    let webhook = world.records.webhook(|_| {}).await;
    let process = world.begin(1);
    world.pass(100).await;
    world.records.waiting(webhook, "late by a minute").await;
    let admission = &process.admission;
    assert!(!admission.has_waiting(webhook));
    world.pass(2).await;
    assert!(admission.has_waiting(webhook));
}
