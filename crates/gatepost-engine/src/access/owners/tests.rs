//! Owners in a memory store, with a scripted platform.

mod levels;

use std::sync::Arc;
use std::time::Duration;

use gatepost_ids::{AccessLevel, Audience, OwnerId, Realm, TenantId, WebhookId};
use gatepost_kv::MemoryStore;
use gatepost_storage::owners::{OwnerRow, OwnerStore as _};
use gatepost_storage::webhooks::RecordStore as _;
use gatepost_storage::{AtMost, ManualClock};
use gatepost_testkit::fault::{Fault, FaultStore};
use tokio::time::Instant;
use webhook_model::Webhook;

use crate::access::testing::{Manner, Platform, judge};
use crate::access::{Judge, Rule};
use crate::clock::EngineClock;
use crate::testing::noon;

const SECOND: Duration = Duration::from_secs(1);

struct World {
    platform: Arc<Platform>,
    store: Arc<FaultStore<MemoryStore>>,
    memory: Arc<MemoryStore>,
    clock: Arc<ManualClock>,
    judge: Arc<Judge>,
}

impl World {
    async fn new(rule: Rule) -> Self {
        let (platform, memory) = (Platform::new(), Arc::new(MemoryStore::new()));
        let store = Arc::new(FaultStore::new(memory.clone()));
        let clock = Arc::new(ManualClock::at(noon()));
        let judge = Self::process(rule, &platform, &store, &clock).await;
        Self {
            platform,
            store,
            memory,
            clock,
            judge,
        }
    }

    async fn process(
        rule: Rule,
        platform: &Arc<Platform>,
        store: &Arc<FaultStore<MemoryStore>>,
        clock: &Arc<ManualClock>,
    ) -> Arc<Judge> {
        let clock = EngineClock::start(clock.clone(), &**store).await.unwrap();
        judge(rule, platform, store.clone(), Arc::new(clock))
    }

    /// Stores a record without asking the platform.
    async fn webhook(&self, owner: u128) -> WebhookId {
        let name = format!("w{owner}").parse().unwrap();
        let url = "https://example.com/".parse().unwrap();
        let webhook = Webhook::new(OwnerId(owner), name, url);
        let row = self
            .memory
            .insert_webhook(&webhook, AtMost::UNLIMITED, noon())
            .await;
        row.unwrap().id
    }

    async fn row(&self, owner: u128) -> Option<OwnerRow> {
        self.memory.owner(OwnerId(owner)).await.unwrap()
    }

    async fn stands(&self, owner: u128) -> (Option<Realm>, bool) {
        let row = self.row(owner).await;
        (row.map(|row| row.place), row.is_some_and(|row| row.held))
    }

    /// Advances every clock.
    async fn pass(&self, seconds: u32) {
        for _ in 0..seconds {
            self.clock.advance(SECOND);
            tokio::time::sleep(SECOND).await;
        }
    }
}

fn tenant(id: u128) -> Realm {
    Realm::Tenant(TenantId(id))
}

#[tokio::test(start_paused = true)]
async fn whoever_changes_a_record_is_placed_first() {
    let world = World::new(Rule::AddressedOnly).await;
    world.platform.user(1, 7);
    world
        .platform
        .account(2, AccessLevel::SystemAdministrator, None);
    world.platform.user(3, None);
    for (owner, place) in [
        (1, tenant(7)),
        (2, Realm::System),
        (3, Realm::Solo(OwnerId(3))),
    ] {
        world.judge.admit_change(OwnerId(owner)).await.unwrap();
        assert_eq!(world.stands(owner).await, (Some(place), false));
    }
    let calls = world.store.calls();
    world.judge.admit_change(OwnerId(1)).await.unwrap();
    assert_eq!(
        world.store.calls(),
        calls,
        "nothing differs, and nothing is asked"
    );
}

#[tokio::test(start_paused = true)]
async fn without_an_answer_or_a_store_nothing_is_changed() {
    let world = World::new(Rule::AddressedOnly).await;
    for manner in [Manner::Fails, Manner::Panics, Manner::Hangs] {
        world.platform.set_manner(manner);
        assert!(world.judge.admit_change(OwnerId(1)).await.is_err());
        tokio::time::sleep(SECOND).await;
    }
    world.platform.set_manner(Manner::Now);
    world.store.fail("set_owner", 1, Fault::Refused);
    assert!(world.judge.admit_change(OwnerId(1)).await.is_err());
    assert_eq!(world.row(1).await, None);
    assert!(
        world.judge.admit_change(OwnerId(1)).await.is_ok(),
        "control"
    );
}

#[tokio::test(start_paused = true)]
async fn on_one_system_nobody_is_placed_and_who_is_disabled_is_held() {
    let world = World::new(Rule::OneSystem).await;
    world.judge.admit_change(OwnerId(1)).await.unwrap();
    assert_eq!(world.row(1).await, None);
    world.platform.remove(1);
    world.judge.owner_changed(OwnerId(1)).await.unwrap();
    assert_eq!(
        world.row(1).await,
        None,
        "a number that means nobody is not written down"
    );
    world.judge.admit_change(OwnerId(1)).await.unwrap();
    assert_eq!(world.stands(1).await, (Some(Realm::Shared), true));
    assert_eq!(world.judge.unplaced(), 0);
}

#[tokio::test(start_paused = true)]
async fn what_is_heard_by_the_way_is_stored_in_the_background() {
    let world = World::new(Rule::AddressedOnly).await;
    world.judge.run();
    world.platform.user(1, 7);
    assert_eq!(
        world.judge.good_standing(OwnerId(1), Realm::Shared),
        Some(true)
    );
    assert_eq!(world.row(1).await, None);
    world.pass(1).await;
    assert_eq!(world.stands(1).await, (Some(tenant(7)), false));
    world.platform.enable(1, false);
    world.pass(5).await;
    assert_eq!(
        world.judge.good_standing(OwnerId(1), Realm::Shared),
        Some(false)
    );
    world.pass(1).await;
    assert_eq!(world.stands(1).await, (Some(tenant(7)), true));
    world.platform.enable(1, true);
    world.platform.user(1, 8);
    world.pass(5).await;
    assert_eq!(
        world.judge.good_standing(OwnerId(1), Realm::Shared),
        Some(true)
    );
    world.pass(1).await;
    assert_eq!(world.stands(1).await, (Some(tenant(8)), false));
}

#[tokio::test(start_paused = true)]
async fn a_store_that_fails_then_gets_what_was_heard_later() {
    let world = World::new(Rule::AddressedOnly).await;
    world.judge.run();
    for fault in [Fault::Refused, Fault::Panic] {
        world.platform.user(1, 7);
        world.store.fail("set_owner", 1, fault);
        world.judge.good_standing(OwnerId(1), Realm::Shared);
        world.pass(11).await;
        world.judge.good_standing(OwnerId(1), Realm::Shared);
        world.pass(1).await;
        assert_eq!(world.stands(1).await.0, Some(tenant(7)));
        world
            .memory
            .assign_realm(OwnerId(1), tenant(1), noon())
            .await
            .unwrap();
        // Earlier answers are not remembered any more.
        world.pass(66).await;
    }
    assert!(world.store.has_failed());
}

#[tokio::test(start_paused = true)]
async fn a_late_answer_does_not_move_anybody_back() {
    let world = World::new(Rule::AddressedOnly).await;
    world.judge.run();
    world.platform.user(1, 7);
    world.platform.set_manner(Manner::LateAnswer(2 * SECOND));
    assert_eq!(world.judge.good_standing(OwnerId(1), Realm::Shared), None);
    // Another process was notified of the move, and stored it.
    world.platform.user(1, 8);
    world.platform.set_manner(Manner::Now);
    world
        .memory
        .assign_realm(OwnerId(1), tenant(8), noon())
        .await
        .unwrap();
    world.pass(4).await;
    assert_eq!(world.stands(1).await.0, Some(tenant(8)));
    assert!(
        world.platform.asked().len() > 1,
        "control: the late answer was confirmed"
    );
}

#[tokio::test(start_paused = true)]
async fn what_another_process_stored_a_moment_ago_is_not_overwritten_unread() {
    let world = World::new(Rule::AddressedOnly).await;
    world.platform.user(1, 7);
    world.judge.admit_change(OwnerId(1)).await.unwrap();
    world.pass(3).await;
    let disabled = world.memory.hold_owner(OwnerId(1), true, noon()).await;
    disabled.unwrap();
    world
        .memory
        .assign_realm(OwnerId(1), tenant(8), noon())
        .await
        .unwrap();
    world.platform.user(1, 8);
    let calls = world.store.calls();
    world.judge.owner_changed(OwnerId(1)).await.unwrap();
    assert_eq!(world.stands(1).await, (Some(tenant(8)), false));
    assert_eq!(
        world.store.calls(),
        calls + 2,
        "read, and released; moved already"
    );
}

#[tokio::test(start_paused = true)]
async fn a_move_that_cannot_be_confirmed_refuses_the_change() {
    let world = World::new(Rule::AddressedOnly).await;
    world.platform.user(1, 7);
    world.judge.admit_change(OwnerId(1)).await.unwrap();
    world.pass(6).await;
    world.platform.user(1, 8);
    assert_eq!(
        world.judge.good_standing(OwnerId(1), Realm::Shared),
        Some(true)
    );
    world.platform.set_manner(Manner::Fails);
    let refused = world.judge.admit_change(OwnerId(1)).await.unwrap_err();
    assert!(refused.to_string().contains("did not confirm"), "{refused}");
    assert_eq!(world.stands(1).await.0, Some(tenant(7)));
    world.platform.set_manner(Manner::Now);
    tokio::time::sleep(SECOND).await;
    world.judge.admit_change(OwnerId(1)).await.unwrap();
    assert_eq!(world.stands(1).await.0, Some(tenant(8)));
}

#[tokio::test(start_paused = true)]
async fn a_change_that_the_platform_tells_reaches_the_store_at_once() {
    let world = World::new(Rule::AddressedOnly).await;
    world.platform.user(1, 7);
    world.judge.admit_change(OwnerId(1)).await.unwrap();
    world.platform.enable(1, false);
    world.judge.owner_changed(OwnerId(1)).await.unwrap();
    assert_eq!(world.stands(1).await, (Some(tenant(7)), true));
    assert_eq!(
        world.judge.good_standing(OwnerId(1), Realm::Shared),
        Some(false)
    );
    world.platform.enable(1, true);
    world.platform.user(1, 8);
    world.judge.owner_changed(OwnerId(1)).await.unwrap();
    assert_eq!(world.stands(1).await, (Some(tenant(8)), false));
    world.platform.remove(1);
    world.judge.owner_changed(OwnerId(1)).await.unwrap();
    assert_eq!(
        world.stands(1).await,
        (Some(tenant(8)), true),
        "held where it is"
    );
    world.platform.set_manner(Manner::Fails);
    assert!(world.judge.owner_changed(OwnerId(1)).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn owners_of_before_are_placed_by_one_process_and_counted_until_then() {
    let world = World::new(Rule::AddressedOnly).await;
    for owner in 1..=1_200 {
        world.webhook(owner).await;
        world.platform.user(owner, owner % 3);
    }
    world.platform.remove(1);
    world.platform.set_manner_about(2, Manner::Hangs);
    let other = World::process(
        Rule::AddressedOnly,
        &world.platform,
        &world.store,
        &world.clock,
    );
    let other = other.await;
    for judge in [&world.judge, &other] {
        judge.run();
    }
    world.pass(2).await;
    let (first, second) = (world.judge.unplaced(), other.unplaced());
    assert!(first > 0 && second > 0, "{first} {second}");
    let places = world.judge.places(Audience::Operators).await.unwrap();
    assert_eq!(places, [Realm::System, Realm::Shared]);
    // After a minute the owners of webhooks are asked about once more.
    world.pass(55).await;
    assert_eq!((world.judge.unplaced(), other.unplaced()), (1, 1));
    assert_eq!(
        world.stands(1).await,
        (Some(Realm::Shared), true),
        "nobody's"
    );
    assert_eq!(world.stands(1_000).await, (Some(tenant(1)), false));
    assert_eq!(world.row(2).await, None, "nobody knows");
    let asked = world.platform.asked();
    let about = |owner| asked.iter().filter(|o| o.0 == owner).count();
    let twice: Vec<u128> = (3..=1_200).filter(|owner| about(*owner) != 1).collect();
    assert!(twice.is_empty(), "asked about by both: {twice:?}");
    world.platform.set_manner_about(2, Manner::Now);
    world.pass(20).await;
    assert_eq!((world.judge.unplaced(), other.unplaced()), (0, 0));
    let places = world.judge.places(Audience::Operators).await.unwrap();
    assert_eq!(places, [Realm::System]);
}

#[tokio::test(start_paused = true)]
async fn held_owners_are_asked_about_each_minute_and_released() {
    let world = World::new(Rule::AddressedOnly).await;
    for owner in 1..=600 {
        world.webhook(owner).await;
        world.platform.enable(owner, false);
        world.judge.admit_change(OwnerId(owner)).await.unwrap();
    }
    world.platform.set_manner_about(2, Manner::Hangs);
    world.judge.run();
    world.platform.asked();
    world.platform.enable(600, true);
    world.pass(50).await;
    assert!(world.stands(600).await.1, "not before a minute has passed");
    world.pass(40).await;
    assert!(!world.stands(600).await.1);
    assert!(world.stands(2).await.1 && world.stands(599).await.1);
    world.platform.asked();
    world.pass(80).await;
    let asked = world.platform.asked();
    assert_eq!(asked.iter().filter(|owner| owner.0 == 599).count(), 1);
}

#[tokio::test(start_paused = true)]
async fn what_was_heard_about_a_hundred_thousand_users_is_kept_within_bounds() {
    let world = World::new(Rule::AddressedOnly).await;
    for owner in 0..100_000 {
        world.judge.admit_change(OwnerId(owner)).await.unwrap();
    }
    let count = world.judge.owners.count();
    assert!(
        (10_000..=super::reconciliation::MOST).contains(&count),
        "{count}"
    );
}

#[tokio::test(start_paused = true)]
async fn users_of_one_tenant_about_whom_the_platform_hangs_leave_questions_to_the_others() {
    let world = World::new(Rule::AddressedOnly).await;
    for owner in 100..300 {
        world.platform.set_manner_about(owner, Manner::Hangs);
        let placed = world.memory.assign_realm(OwnerId(owner), tenant(7), noon());
        placed.await.unwrap();
    }
    let admit = |owner| {
        let judge = world.judge.clone();
        tokio::spawn(async move { judge.admit_change(OwnerId(owner)).await.is_ok() })
    };
    let hanging: Vec<_> = (100..300).map(admit).collect();
    world.pass(1).await;
    world.platform.user(1, 8);
    let later = Manner::Later(Duration::from_millis(1));
    world.platform.set_manner(later);
    let began = Instant::now();
    assert!(admit(1).await.unwrap());
    assert!(began.elapsed() < SECOND);
    for hanging in hanging {
        assert!(!hanging.await.unwrap());
    }
    assert!(began.elapsed() <= 10 * SECOND, "{:?}", began.elapsed());
}
