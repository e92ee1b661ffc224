//! Usage and drops over a store in memory.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_ids::{OwnerId, Quota, WebhookId};
use gatepost_kv::MemoryStore;
use gatepost_storage::webhooks::{
    DeliveryId, DeliveryLog as _, DropReason, Dropped, LogUsage, NewDelivery, QueueStore as _,
    RecordStore as _, UsageDelta,
};
use gatepost_storage::{AtMost, ManualClock, Scope};
use gatepost_testkit::fault::{Fault, FaultStore};
use gatepost_testkit::fixtures::direct;
use webhook_model::Webhook;

use super::{Room, usage};
use crate::clock::EngineClock;
use crate::error::EngineError;
use crate::judge::testing::{Platform, watched_judge};
use crate::judge::{Judge, Rule};
use crate::observe::{Notice, Observer};
use crate::testing::noon;

const OWNER: OwnerId = OwnerId(1);
const SECOND: Duration = Duration::from_secs(1);

/// Remembers notices.
#[derive(Debug, Default)]
struct Noticed {
    notices: Mutex<Vec<Notice>>,
    /// Where there is one, each hangs until its other end is dropped.
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
    /// Notices run on threads of their own: those that were sent until now.
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
    judge: Arc<Judge>,
}

impl World {
    async fn new(quota: Quota) -> Self {
        let (platform, memory) = (Platform::new(), Arc::new(MemoryStore::new()));
        platform.set_quota(Some(quota));
        let store = Arc::new(FaultStore::new(memory.clone()));
        let noticed = Arc::new(Noticed::default());
        let clock = EngineClock::start(Arc::new(ManualClock::at(noon())), &*store).await;
        let (clock, observer) = (Arc::new(clock.unwrap()), noticed.clone());
        let judge = watched_judge(Rule::OneSystem, &platform, store.clone(), clock, observer);
        Self {
            platform,
            store,
            memory,
            noticed,
            judge,
        }
    }

    async fn webhook(&self, owner: OwnerId) -> WebhookId {
        self.named(owner, "w").await
    }

    async fn named(&self, owner: OwnerId, name: &str) -> WebhookId {
        let url = "https://example.com/".parse().unwrap();
        let webhook = Webhook::new(owner, name.parse().unwrap(), url);
        let row = self
            .memory
            .insert_webhook(&webhook, AtMost::UNLIMITED, noon())
            .await;
        row.unwrap().id
    }

    async fn used(&self) -> LogUsage {
        self.memory.log_usage(&[OWNER]).await.unwrap()[0]
    }

    fn room(&self) -> (u64, u64) {
        let Room { deliveries, bytes } = self.judge.room(OWNER);
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
async fn what_this_process_stores_takes_room_at_once_and_the_store_learns_it_with_the_flush() {
    let world = World::new(small()).await;
    assert_eq!(world.room(), (10, 1_000));
    world.judge.stored(OWNER, 4, 400);
    assert_eq!(world.room(), (6, 600));
    world.judge.ended(OWNER, 100, 50);
    assert_eq!(world.room(), (7, 700));
    assert_eq!(world.used().await, LogUsage::default());
    world.judge.flush().await;
    let written = LogUsage {
        waiting: 3,
        waiting_bytes: 300,
        log_bytes: 450,
    };
    assert_eq!(world.used().await, written);
    assert_eq!(world.room(), (7, 700), "nothing is counted twice");
    world.judge.stored(OWNER, 100, 100_000);
    assert_eq!(world.room(), (0, 0));
    assert!(world.judge.log_is_full(OWNER));
    assert_eq!(world.judge.room(OwnerId(2)).deliveries, 10, "another owner");
}

#[tokio::test(start_paused = true)]
async fn what_other_processes_stored_is_known_after_a_second() {
    let world = World::new(small()).await;
    world.judge.run();
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
    assert!(!world.judge.log_is_full(OWNER));
    tokio::time::sleep(300 * SECOND).await;
    assert_eq!(world.room(), (1, 100), "an old answer is better than none");
}

#[tokio::test(start_paused = true)]
async fn what_the_store_does_not_take_is_written_later() {
    let world = World::new(small()).await;
    world.judge.stored(OWNER, 2, 20);
    world.store.fail("add_usage", 1, Fault::Refused);
    world.judge.flush().await;
    assert_eq!(world.used().await.waiting, 0);
    world.judge.stored(OWNER, 1, 10);
    assert_eq!(world.room(), (7, 970));
    world.judge.flush().await;
    assert_eq!(world.used().await.waiting, 3);
    world.judge.flush().await;
    assert_eq!(world.used().await.waiting, 3, "once");
}

#[tokio::test(start_paused = true)]
async fn an_estimate_that_went_wrong_is_counted_at_most_once_a_minute() {
    let world = World::new(small()).await;
    world.judge.run();
    let wrong = UsageDelta {
        owner: OWNER,
        waiting: 10_000,
        waiting_bytes: 0,
        log_bytes: 0,
    };
    world.memory.add_usage(&[wrong]).await.unwrap();
    world.judge.room(OWNER);
    tokio::time::sleep(5 * SECOND).await;
    assert_eq!(world.room(), (10, 1_000), "counted: there is none");
    world.memory.add_usage(&[wrong]).await.unwrap();
    world.judge.room(OWNER);
    tokio::time::sleep(20 * SECOND).await;
    assert_eq!(world.room().0, 0, "not again within a minute");
    tokio::time::sleep(60 * SECOND).await;
    world.judge.room(OWNER);
    tokio::time::sleep(5 * SECOND).await;
    assert_eq!(world.room().0, 10);
}

#[tokio::test(start_paused = true)]
async fn owners_at_a_limit_are_counted_in_order_of_arrival() {
    let world = World::new(small()).await;
    let usage = &world.judge.usage;
    let full = LogUsage {
        waiting: 10,
        ..LogUsage::default()
    };
    for owner in [7, 3, 9, 1, 8, 3, 2, 7, 5].map(OwnerId) {
        usage.lock().is_used(owner, full, &small());
    }
    let next = std::iter::from_fn(|| usage.next_over());
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
        world.judge.usage.count(OWNER).await;
        let row = world.memory.delivery(id).await.unwrap();
        assert_eq!(row.is_some(), kept, "{bytes}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_count_finds_what_waits() {
    let world = World::new(small()).await;
    let webhook = world.webhook(OWNER).await;
    enqueue(&world, webhook, "12345".to_owned()).await;
    world.judge.usage.count(OWNER).await;
    assert_eq!(world.room(), (9, 995));
}

#[tokio::test(start_paused = true)]
async fn a_quota_that_cannot_be_asked_for_is_the_default_or_a_refusal() {
    let world = World::new(small()).await;
    world.platform.set_quota(None);
    assert_eq!(world.room().0, Quota::default().waiting);
    assert!(!world.judge.log_is_full(OWNER));
    let refused = world.judge.run_by_hand(OWNER, 1).unwrap_err();
    assert!(matches!(refused, EngineError::Platform(_)));
    assert!(world.judge.admit_change(OWNER).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn by_hand_as_often_as_allowed_then_the_refusal_says_when() {
    let world = World::new(small()).await;
    world.judge.run_by_hand(OWNER, 2).unwrap();
    world.judge.run_by_hand(OWNER, 1).unwrap();
    let refused = world.judge.run_by_hand(OWNER, 1).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "too many in a minute; try again in 20 seconds"
    );
    tokio::time::advance(20 * SECOND).await;
    world.judge.run_by_hand(OWNER, 1).unwrap();
}

#[tokio::test(start_paused = true)]
async fn drops_are_written_by_webhook_reason_and_minute_and_noticed_once_a_minute() {
    let world = World::new(small()).await;
    let webhook = world.webhook(OWNER).await;
    let drop = |reason, count| world.judge.dropped(OWNER, webhook, reason, count);
    drop(DropReason::Waiting, 2);
    drop(DropReason::Waiting, 3);
    drop(DropReason::Occurrence, 1);
    world.store.fail("count_dropped", 1, Fault::Refused);
    world.judge.flush().await;
    let written = async || world.memory.dropped(Scope::All, 10).await.unwrap();
    assert_eq!(written().await, []);
    drop(DropReason::Waiting, 1);
    world.judge.flush().await;
    let dropped = |reason, count| Dropped {
        webhook,
        reason,
        minute: noon(),
        count,
    };
    let both = [
        dropped(DropReason::Waiting, 6),
        dropped(DropReason::Occurrence, 1),
    ];
    assert_eq!(written().await, both);
    let notice = |count| Notice::Dropped {
        owner: OWNER,
        count,
    };
    assert_eq!(world.noticed.all(1).await, [notice(6)]);
    tokio::time::advance(60 * SECOND).await;
    world.judge.flush().await;
    assert_eq!(world.noticed.all(2).await, [notice(6), notice(1)]);
    tokio::time::advance(60 * SECOND).await;
    world.judge.flush().await;
    assert_eq!(world.judge.drops.held(), (0, 0), "nothing is left behind");
}

#[tokio::test(start_paused = true)]
async fn a_notice_of_drops_that_found_no_place_is_given_with_the_owners_next() {
    let world = World::new(small()).await;
    let (let_go, hang) = mpsc::channel();
    *world.noticed.hang.lock().unwrap() = Some(hang);
    let note = |owner: u32| {
        let (owner, webhook) = (OwnerId::from(owner), WebhookId(owner.into()));
        world.judge.dropped(owner, webhook, DropReason::Waiting, 1);
    };
    (1..=5).for_each(note);
    for _ in 0..3 {
        world.judge.flush().await;
    }
    assert_eq!(world.noticed.all(4).await.len(), 4, "as many as may hang");
    (1..=5).for_each(note);
    drop(let_go);
    world.judge.drops.observer_is_idle().await;
    for _ in 0..3 {
        tokio::time::advance(60 * SECOND).await;
        world.judge.flush().await;
        world.judge.drops.observer_is_idle().await;
    }
    let mut said = HashMap::new();
    for notice in world.noticed.all(9).await {
        let Notice::Dropped { owner, count } = notice else {
            panic!("{notice:?}");
        };
        *said.entry(owner).or_insert(0) += count;
    }
    let expected: HashMap<_, _> = (1..=5).map(|owner| (OwnerId(owner), 2)).collect();
    assert_eq!(said, expected);
}

#[tokio::test(start_paused = true)]
async fn who_is_counted_by_the_hour_is_written_once_a_minute_and_wholly_when_the_engine_stops() {
    let world = World::new(small()).await;
    let mut many = Vec::new();
    for n in 0..20 {
        many.push(world.named(OWNER, &format!("w{n}")).await);
    }
    for second in 0..150 {
        for webhook in &many {
            world.judge.dropped(OWNER, *webhook, DropReason::Waiting, 1);
        }
        let now = noon() + TimeDelta::seconds(second);
        world.judge.drops.flush(now).await.unwrap();
        tokio::time::advance(SECOND).await;
    }
    let writes = world.store.calls_of("count_dropped");
    assert_eq!(writes, 3, "in the first second, after 60 and after 120");
    let counted = async || {
        let rows = world.memory.dropped(Scope::All, 1_000).await.unwrap();
        rows.iter().map(|row| row.count).sum::<u64>()
    };
    assert_eq!(counted().await, 20 * 121);
    let lifecycle = &world.judge.owners.lifecycle;
    lifecycle.shutdown(Duration::ZERO).await;
    world.judge.flush().await;
    assert_eq!(counted().await, 20 * 150);
}

#[tokio::test(start_paused = true)]
async fn the_drops_of_40_webhooks_make_16_rows_in_a_minute_then_one_an_hour_and_none_is_lost() {
    let world = World::new(small()).await;
    let mut many = Vec::new();
    for n in 0..40 {
        many.push(world.named(OWNER, &format!("w{n}")).await);
    }
    let other = world.webhook(OwnerId(2)).await;
    let at = |minute, second| noon() + TimeDelta::minutes(minute) + TimeDelta::seconds(second);
    let drop = |owner, webhook| world.judge.dropped(owner, webhook, DropReason::Waiting, 1);
    // No more than ten of them in a second.
    for (second, some) in (0..120).zip(many.chunks(10).cycle()) {
        some.iter().for_each(|webhook| drop(OWNER, *webhook));
        drop(OwnerId(2), other);
        world.judge.drops.flush(at(20, second)).await.unwrap();
        tokio::time::advance(SECOND).await;
    }
    // What is counted by the hour waits for a minute.
    tokio::time::advance(60 * SECOND).await;
    world.judge.drops.flush(at(22, 0)).await.unwrap();
    let rows = world.memory.dropped(Scope::All, 1_000).await.unwrap();
    let others = rows.iter().filter(|row| row.webhook == other);
    let others: Vec<_> = others.map(|row| (row.minute, row.count)).collect();
    assert_eq!(others, [(at(21, 0), 60), (at(20, 0), 60)]);
    let of = |at: DateTime<Utc>| rows.iter().filter(|row| row.minute == at).count();
    let counted = [at(0, 0), at(20, 0), at(21, 0)].map(of);
    assert_eq!(counted, [40, 16 + 1, 1], "of the hour, of each minute");
    for webhook in &many {
        let own = rows.iter().filter(|row| row.webhook == *webhook);
        assert_eq!(own.map(|row| row.count).sum::<u64>(), 30);
    }
    drop(OWNER, many[0]);
    world.judge.drops.flush(at(61, 0)).await.unwrap();
    let newest = world.memory.dropped(Scope::All, 1).await.unwrap();
    assert_eq!(newest[0].minute, at(61, 0), "that hour is over");
}

#[tokio::test(start_paused = true)]
async fn a_hundred_thousand_owners_take_no_more_than_their_room() {
    let world = World::new(small()).await;
    for owner in 0..100_000_u32 {
        let (owner, webhook) = (OwnerId::from(owner), WebhookId(owner.into()));
        world.judge.room(owner);
        world.judge.stored(owner, 100, 1);
        world.judge.dropped(owner, webhook, DropReason::Waiting, 1);
    }
    assert_eq!(world.judge.usage.held(), usage::MOST);
    assert_eq!(world.judge.drops.held(), (usage::MOST, usage::MOST));
    world.judge.flush().await;
    assert!(world.judge.usage.held() <= usage::MOST);
    assert_eq!(world.judge.drops.held().0, 0);
}
