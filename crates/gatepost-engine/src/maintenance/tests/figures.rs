//! What one process does for all: figures, room in the log, retention.

use std::sync::Arc;
use std::time::Duration;

use gatepost_storage::webhooks::DeliveryLog as _;
use gatepost_testkit::fault::Fault;

use super::*;
use crate::core::Core;

const SECOND: Duration = Duration::from_secs(1);

impl World {
    fn figures(&self, holder: u128) -> Arc<Figures> {
        Arc::new(Figures {
            core: Arc::new(Core {
                holder,
                ..(*self.maintenance.core).clone()
            }),
            room: Mutex::default(),
        })
    }

    fn count(&self, holder: u128) {
        let figures = self.figures(holder);
        let lifecycle = &self.maintenance.core.lifecycle;
        lifecycle.supervise("figures", move || figures.clone().count());
    }

    fn counts(&self) -> u64 {
        self.store.calls_of("count_queue")
    }
}

#[tokio::test(start_paused = true)]
async fn the_queue_is_counted_each_second_by_one_process_however_many_there_are() {
    let world = World::new().await;
    (1..=4).for_each(|holder| world.count(holder));
    world.pass(100).await;
    assert!((99..=102).contains(&world.counts()), "{}", world.counts());
    let leases = world.store.calls_of("lease");
    assert!(leases <= 4 + 3 * 4 + 4, "{leases}");
    assert!(world.records.store.queue_stats().await.unwrap().is_some());
}

#[tokio::test(start_paused = true)]
async fn counting_takes_at_most_a_hundredth_of_the_time_of_all_processes() {
    let world = World::new().await;
    world.store.fail("count_queue", 1, Fault::Late(2 * SECOND));
    world.count(1);
    world.pass(1).await;
    world.count(2);
    world.pass(200).await;
    assert_eq!(world.counts(), 1);
    world.pass(10).await;
    assert!(world.counts() >= 2);
}

#[tokio::test(start_paused = true)]
async fn another_counts_when_the_one_that_did_is_gone() {
    let world = World::new().await;
    let until = noon() + TimeDelta::seconds(61);
    let lease = world.store.lease("count the queue", 1, until, noon());
    assert!(lease.await.unwrap());
    world.count(2);
    world.pass(59).await;
    assert_eq!(world.counts(), 0);
    world.pass(40).await;
    assert!(world.counts() > 5);
}

#[tokio::test(start_paused = true)]
async fn room_is_made_each_ten_seconds_by_one_process_and_a_store_that_fails_is_asked_again() {
    let world = World::new().await;
    world.store.fail("prepare_log", 2, Fault::Refused);
    let figures: Vec<_> = (1..=3).map(|holder| world.figures(holder)).collect();
    for figures in &figures {
        let (lifecycle, figures) = (&world.maintenance.core.lifecycle, figures.clone());
        lifecycle.supervise("room", move || figures.clone().prepare());
    }
    world.pass(100).await;
    let calls = world.store.calls_of("prepare_log");
    assert!((10..=11).contains(&calls), "{calls}");
    assert!(world.store.has_failed());
    let known = figures.iter().filter(|figures| figures.room().is_some());
    assert_eq!(known.count(), 1, "the one that does it knows");
}
