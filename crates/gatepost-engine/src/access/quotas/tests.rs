//! Usage and rejected deliveries, over a memory store.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use chrono::TimeDelta;
use gatepost_ids::{OwnerId, Quota, WebhookId};
use gatepost_kv::MemoryStore;
use gatepost_storage::webhooks::{
    DeliveryId, DeliveryLog as _, LogUsage, NewDelivery, QueueStore as _, RecordStore as _,
    RejectReason, RejectedCount, UsageDelta,
};
use gatepost_storage::{AtMost, ManualClock, Scope};
use gatepost_testkit::fault::{Fault, FaultStore};
use gatepost_testkit::fixtures::direct;
use webhook_model::Webhook;

use super::Headroom;
use crate::access::testing::{Platform, watched_authorizer};
use crate::access::{Authorizer, Rule};
use crate::accumulator::MOST;
use crate::clock::EngineClock;
use crate::error::EngineError;
use crate::observer::{Notice, Observer};
use crate::testing::noon;

mod rejected;

const OWNER: OwnerId = OwnerId(1);
const SECOND: Duration = Duration::from_secs(1);

/// Remembers notices.
#[derive(Debug, Default)]
struct Noticed {
    notices: Mutex<Vec<Notice>>,
    /// If set, each notice hangs until the other end is dropped.
    hang: Mutex<Option<mpsc::Receiver<()>>>,
}

impl Observer for Noticed {
    fn notice(&self, notice: Notice) {
        self.notices.lock().unwrap().push(notice);
        if let Some(hang) = &*self.hang.lock().unwrap() {
            let _ = hang.recv();
        }
    }
}

impl Noticed {
    /// Returns this many notices, which run on separate threads.
    async fn all(&self, count: usize) -> Vec<Notice> {
        loop {
            let noticed = self.notices.lock().unwrap().clone();
            if noticed.len() >= count {
                return noticed;
            }
            tokio::task::yield_now().await;
        }
    }
}

struct World {
    platform: Arc<Platform>,
    store: Arc<FaultStore<MemoryStore>>,
    memory: Arc<MemoryStore>,
    noticed: Arc<Noticed>,
    authorizer: Arc<Authorizer>,
}

impl World {
    async fn new(quota: Quota) -> Self {
        let (platform, memory) = (Platform::new(), Arc::new(MemoryStore::new()));
        platform.set_quota(Some(quota));
        let store = Arc::new(FaultStore::new(memory.clone()));
        let noticed = Arc::new(Noticed::default());
        let clock = EngineClock::start(Arc::new(ManualClock::at(noon())), &*store).await;
        let (clock, observer) = (Arc::new(clock.unwrap()), noticed.clone());
        let authorizer =
            watched_authorizer(Rule::OneSystem, &platform, store.clone(), clock, observer);
        Self {
            platform,
            store,
            memory,
            noticed,
            authorizer,
        }
    }

    async fn webhook(&self, owner: OwnerId) -> WebhookId {
        self.named(owner, "w").await
    }

    async fn named(&self, owner: OwnerId, name: &str) -> WebhookId {
        let url = "https://example.com/".parse().unwrap();
        let webhook = Webhook::new(owner, name.parse().unwrap(), url);
        let most = AtMost::UNLIMITED;
        let row = self.memory.insert_webhook(&webhook, most, noon()).await;
        row.unwrap().id
    }

    async fn used(&self) -> LogUsage {
        self.memory.log_usage(&[OWNER]).await.unwrap()[0]
    }

    fn room(&self) -> (u64, u64) {
        let Headroom { deliveries, bytes } = self.authorizer.headroom(OWNER);
        (deliveries, bytes)
    }
}

fn small() -> Quota {
    Quota::default()
        .with_waiting(10)
        .with_waiting_bytes(1_000)
        .with_log_bytes(2_000)
        .with_runs_per_minute(3)
}

#[tokio::test(start_paused = true)]
async fn own_deliveries_count_immediately_and_are_flushed_later() {
    let world = World::new(small()).await;
    assert_eq!(world.room(), (10, 1_000));
    world.authorizer.stored(OWNER, 4, 400);
    assert_eq!(world.room(), (6, 600));
    world.authorizer.ended(OWNER, 100, 50);
    assert_eq!(world.room(), (7, 700));
    assert_eq!(world.used().await, LogUsage::default());
    world.authorizer.flush().await;
    let written = LogUsage {
        waiting: 3,
        waiting_bytes: 300,
        log_bytes: 450,
    };
    assert_eq!(world.used().await, written);
    assert_eq!(world.room(), (7, 700), "nothing is counted twice");
    world.authorizer.stored(OWNER, 100, 100_000);
    assert_eq!(world.room(), (0, 0));
    assert!(world.authorizer.log_is_full(OWNER));
    let other = world.authorizer.headroom(OwnerId(2));
    assert_eq!(other.deliveries, 10, "another owner");
}

#[tokio::test(start_paused = true)]
async fn usage_of_other_processes_arrives_within_two_seconds() {
    let world = World::new(small()).await;
    world.authorizer.run();
    let delta = UsageDelta {
        owner: OWNER,
        waiting: 9,
        waiting_bytes: 900,
        log_bytes: 1_999,
    };
    world.memory.add_usage(&[delta]).await.unwrap();
    assert_eq!(world.room(), (10, 1_000), "it was not asked for yet");
    tokio::time::sleep(2 * SECOND).await;
    assert_eq!(world.room(), (1, 100));
    assert!(!world.authorizer.log_is_full(OWNER));
    tokio::time::sleep(300 * SECOND).await;
    assert_eq!(world.room(), (1, 100), "an old answer is better than none");
}

#[tokio::test(start_paused = true)]
async fn usage_refused_by_store_is_written_later_once() {
    let world = World::new(small()).await;
    world.authorizer.stored(OWNER, 2, 20);
    world.store.fail("add_usage", 1, Fault::Refused);
    world.authorizer.flush().await;
    assert_eq!(world.used().await.waiting, 0);
    world.authorizer.stored(OWNER, 1, 10);
    assert_eq!(world.room(), (7, 970));
    world.authorizer.flush().await;
    assert_eq!(world.used().await.waiting, 3);
    world.authorizer.flush().await;
    assert_eq!(world.used().await.waiting, 3, "once");
}

#[tokio::test(start_paused = true)]
async fn wrong_estimate_is_recounted_at_most_each_minute() {
    let world = World::new(small()).await;
    world.authorizer.run();
    let wrong = UsageDelta {
        owner: OWNER,
        waiting: 10_000,
        waiting_bytes: 0,
        log_bytes: 0,
    };
    world.memory.add_usage(&[wrong]).await.unwrap();
    world.authorizer.headroom(OWNER);
    tokio::time::sleep(5 * SECOND).await;
    assert_eq!(world.room(), (10, 1_000), "counted: there is none");
    world.memory.add_usage(&[wrong]).await.unwrap();
    world.authorizer.headroom(OWNER);
    tokio::time::sleep(20 * SECOND).await;
    assert_eq!(world.room().0, 0, "not again within a minute");
    tokio::time::sleep(60 * SECOND).await;
    world.authorizer.headroom(OWNER);
    tokio::time::sleep(5 * SECOND).await;
    assert_eq!(world.room().0, 10);
}

#[tokio::test(start_paused = true)]
async fn owners_at_limit_are_counted_in_arrival_order() {
    let world = World::new(small()).await;
    let usage = &world.authorizer.usage;
    let full = LogUsage {
        waiting: 10,
        ..LogUsage::default()
    };
    for owner in [7, 3, 9, 1, 8, 3, 2, 7, 5].map(OwnerId) {
        usage.is_used(owner, full);
    }
    let next = std::iter::from_fn(|| usage.next_at_limit());
    let counted: Vec<_> = next.map(|owner| owner.0).collect();
    assert_eq!(counted, [7, 3, 9, 1, 8, 2, 5]);
}

async fn enqueue(world: &World, webhook: WebhookId, body: String) {
    let delivery = NewDelivery {
        message_id: "msg_1".parse().unwrap(),
        webhook,
        task: None,
        cause: None,
        body: body.into(),
        due: noon(),
        lease_until: None,
    };
    let batch = world.memory.enqueue(direct(vec![delivery]), noon());
    batch.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn log_over_quota_loses_its_oldest() {
    for (bytes, kept) in [(1_750, true), (1_751, false)] {
        let (world, id) = (World::new(small()).await, DeliveryId(1));
        let webhook = world.webhook(OWNER).await;
        enqueue(&world, webhook, "x".repeat(bytes)).await;
        world.memory.cancel(&[id], "x", noon()).await.unwrap();
        world.authorizer.usage.count(OWNER).await;
        let row = world.memory.delivery(id).await.unwrap();
        assert_eq!(row.is_some(), kept, "{bytes}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_count_finds_what_waits() {
    let world = World::new(small()).await;
    let webhook = world.webhook(OWNER).await;
    enqueue(&world, webhook, "12345".to_owned()).await;
    world.authorizer.usage.count(OWNER).await;
    assert_eq!(world.room(), (9, 995));
}

#[tokio::test(start_paused = true)]
async fn unavailable_quota_is_default_or_refuses_change() {
    let world = World::new(small()).await;
    world.platform.set_quota(None);
    assert_eq!(world.room().0, Quota::default().waiting);
    assert!(!world.authorizer.log_is_full(OWNER));
    let refused = world.authorizer.run_by_hand(OWNER, 1).unwrap_err();
    assert!(matches!(refused, EngineError::Platform(_)));
    assert!(world.authorizer.admit_change(OWNER).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn manual_runs_over_limit_are_refused_with_wait() {
    let world = World::new(small()).await;
    world.authorizer.run_by_hand(OWNER, 2).unwrap();
    world.authorizer.run_by_hand(OWNER, 1).unwrap();
    let refused = world.authorizer.run_by_hand(OWNER, 1).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "too many in a minute; try again in 20 seconds"
    );
    tokio::time::advance(20 * SECOND).await;
    world.authorizer.run_by_hand(OWNER, 1).unwrap();
}

#[tokio::test(start_paused = true)]
async fn usage_of_many_owners_stays_bounded() {
    let world = World::new(small()).await;
    for owner in 0..100_000_u32 {
        let (owner, webhook) = (OwnerId::from(owner), WebhookId(owner.into()));
        world.authorizer.headroom(owner);
        world.authorizer.stored(owner, 100, 1);
        world
            .authorizer
            .rejected(owner, webhook, RejectReason::Waiting, 1);
    }
    assert_eq!(world.authorizer.usage.held(), MOST);
    assert_eq!(world.authorizer.rejected.held(), (MOST, MOST));
    world.authorizer.flush().await;
    assert!(world.authorizer.usage.held() <= MOST);
    assert_eq!(world.authorizer.rejected.held().0, 0);
}
