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

use crate::access::testing::{Manner, Platform, authorizer};
use crate::access::{Authorizer, Rule};
use crate::clock::EngineClock;
use crate::testing::noon;

const SECOND: Duration = Duration::from_secs(1);

struct World {
    platform: Arc<Platform>,
    store: Arc<FaultStore<MemoryStore>>,
    memory: Arc<MemoryStore>,
    clock: Arc<ManualClock>,
    authorizer: Arc<Authorizer>,
}

impl World {
    async fn new(rule: Rule) -> Self {
        let (platform, memory) = (Platform::new(), Arc::new(MemoryStore::new()));
        let store = Arc::new(FaultStore::new(memory.clone()));
        let clock = Arc::new(ManualClock::at(noon()));
        let authorizer = Self::process(rule, &platform, &store, &clock).await;
        Self {
            platform,
            store,
            memory,
            clock,
            authorizer,
        }
    }

    async fn process(
        rule: Rule,
        platform: &Arc<Platform>,
        store: &Arc<FaultStore<MemoryStore>>,
        clock: &Arc<ManualClock>,
    ) -> Arc<Authorizer> {
        let clock = EngineClock::start(clock.clone(), &**store).await.unwrap();
        authorizer(rule, platform, store.clone(), Arc::new(clock))
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
        (
            row.map(|row| row.realm),
            row.is_some_and(|row| row.suspended),
        )
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
async fn record_change_assigns_owner_realm_first() {
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
        world.authorizer.admit_change(OwnerId(owner)).await.unwrap();
        assert_eq!(world.stands(owner).await, (Some(place), false));
    }
    let calls = world.store.calls();
    world.authorizer.admit_change(OwnerId(1)).await.unwrap();
    assert_eq!(
        world.store.calls(),
        calls,
        "nothing differs, and nothing is asked"
    );
}

#[tokio::test(start_paused = true)]
async fn change_without_platform_answer_or_store_is_refused() {
    let world = World::new(Rule::AddressedOnly).await;
    for manner in [Manner::Fails, Manner::Panics, Manner::Hangs] {
        world.platform.set_manner(manner);
        assert!(world.authorizer.admit_change(OwnerId(1)).await.is_err());
        tokio::time::sleep(SECOND).await;
    }
    world.platform.set_manner(Manner::Now);
    world.store.fail("set_owner", 1, Fault::Refused);
    assert!(world.authorizer.admit_change(OwnerId(1)).await.is_err());
    assert_eq!(world.row(1).await, None);
    assert!(
        world.authorizer.admit_change(OwnerId(1)).await.is_ok(),
        "control"
    );
}

#[tokio::test(start_paused = true)]
async fn one_system_suspends_removed_users_without_assigning_realms() {
    let world = World::new(Rule::OneSystem).await;
    world.authorizer.admit_change(OwnerId(1)).await.unwrap();
    assert_eq!(world.row(1).await, None);
    world.platform.remove(1);
    world.authorizer.owner_changed(OwnerId(1)).await.unwrap();
    assert_eq!(
        world.row(1).await,
        None,
        "a number that means nobody is not written down"
    );
    world.authorizer.admit_change(OwnerId(1)).await.unwrap();
    assert_eq!(world.stands(1).await, (Some(Realm::Shared), true));
    assert_eq!(world.authorizer.unplaced(), 0);
}

#[tokio::test(start_paused = true)]
async fn account_seen_on_lookup_is_stored_in_background() {
    let world = World::new(Rule::AddressedOnly).await;
    world.authorizer.run();
    world.platform.user(1, 7);
    assert_eq!(
        world.authorizer.good_standing(OwnerId(1), Realm::Shared),
        Some(true)
    );
    assert_eq!(world.row(1).await, None);
    world.pass(1).await;
    assert_eq!(world.stands(1).await, (Some(tenant(7)), false));
    world.platform.enable(1, false);
    world.pass(5).await;
    assert_eq!(
        world.authorizer.good_standing(OwnerId(1), Realm::Shared),
        Some(false)
    );
    world.pass(1).await;
    assert_eq!(world.stands(1).await, (Some(tenant(7)), true));
    world.platform.enable(1, true);
    world.platform.user(1, 8);
    world.pass(5).await;
    assert_eq!(
        world.authorizer.good_standing(OwnerId(1), Realm::Shared),
        Some(true)
    );
    world.pass(1).await;
    assert_eq!(world.stands(1).await, (Some(tenant(8)), false));
}

#[tokio::test(start_paused = true)]
async fn account_is_stored_later_after_store_failure() {
    let world = World::new(Rule::AddressedOnly).await;
    world.authorizer.run();
    for fault in [Fault::Refused, Fault::Panic] {
        world.platform.user(1, 7);
        world.store.fail("set_owner", 1, fault);
        world.authorizer.good_standing(OwnerId(1), Realm::Shared);
        world.pass(11).await;
        world.authorizer.good_standing(OwnerId(1), Realm::Shared);
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
    world.authorizer.run();
    world.platform.user(1, 7);
    world.platform.set_manner(Manner::LateAnswer(2 * SECOND));
    assert_eq!(
        world.authorizer.good_standing(OwnerId(1), Realm::Shared),
        None
    );
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
async fn change_of_another_process_is_read_before_writing() {
    let world = World::new(Rule::AddressedOnly).await;
    world.platform.user(1, 7);
    world.authorizer.admit_change(OwnerId(1)).await.unwrap();
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
    world.authorizer.owner_changed(OwnerId(1)).await.unwrap();
    assert_eq!(world.stands(1).await, (Some(tenant(8)), false));
    assert_eq!(
        world.store.calls(),
        calls + 2,
        "read, and released; moved already"
    );
}

#[tokio::test(start_paused = true)]
async fn unconfirmed_tenant_move_refuses_record_change() {
    let world = World::new(Rule::AddressedOnly).await;
    world.platform.user(1, 7);
    world.authorizer.admit_change(OwnerId(1)).await.unwrap();
    world.pass(6).await;
    world.platform.user(1, 8);
    assert_eq!(
        world.authorizer.good_standing(OwnerId(1), Realm::Shared),
        Some(true)
    );
    world.platform.set_manner(Manner::Fails);
    let refused = world.authorizer.admit_change(OwnerId(1)).await.unwrap_err();
    assert!(refused.to_string().contains("did not confirm"), "{refused}");
    assert_eq!(world.stands(1).await.0, Some(tenant(7)));
    world.platform.set_manner(Manner::Now);
    tokio::time::sleep(SECOND).await;
    world.authorizer.admit_change(OwnerId(1)).await.unwrap();
    assert_eq!(world.stands(1).await.0, Some(tenant(8)));
}

#[tokio::test(start_paused = true)]
async fn owner_changed_notification_is_stored_immediately() {
    let world = World::new(Rule::AddressedOnly).await;
    world.platform.user(1, 7);
    world.authorizer.admit_change(OwnerId(1)).await.unwrap();
    world.platform.enable(1, false);
    world.authorizer.owner_changed(OwnerId(1)).await.unwrap();
    assert_eq!(world.stands(1).await, (Some(tenant(7)), true));
    assert_eq!(
        world.authorizer.good_standing(OwnerId(1), Realm::Shared),
        Some(false)
    );
    world.platform.enable(1, true);
    world.platform.user(1, 8);
    world.authorizer.owner_changed(OwnerId(1)).await.unwrap();
    assert_eq!(world.stands(1).await, (Some(tenant(8)), false));
    world.platform.remove(1);
    world.authorizer.owner_changed(OwnerId(1)).await.unwrap();
    assert_eq!(
        world.stands(1).await,
        (Some(tenant(8)), true),
        "held where it is"
    );
    world.platform.set_manner(Manner::Fails);
    assert!(world.authorizer.owner_changed(OwnerId(1)).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn owners_without_realm_are_counted_and_assigned_once() {
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
    for authorizer in [&world.authorizer, &other] {
        authorizer.run();
    }
    world.pass(2).await;
    let (first, second) = (world.authorizer.unplaced(), other.unplaced());
    assert!(first > 0 && second > 0, "{first} {second}");
    let places = world.authorizer.places(Audience::Operators).await.unwrap();
    assert_eq!(places, [Realm::System, Realm::Shared]);
    // After a minute the owners of webhooks are asked about once more.
    world.pass(55).await;
    assert_eq!((world.authorizer.unplaced(), other.unplaced()), (1, 1));
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
    assert_eq!((world.authorizer.unplaced(), other.unplaced()), (0, 0));
    let places = world.authorizer.places(Audience::Operators).await.unwrap();
    assert_eq!(places, [Realm::System]);
}

#[tokio::test(start_paused = true)]
async fn suspended_owners_are_rechecked_each_minute_and_released() {
    let world = World::new(Rule::AddressedOnly).await;
    for owner in 1..=600 {
        world.webhook(owner).await;
        world.platform.enable(owner, false);
        world.authorizer.admit_change(OwnerId(owner)).await.unwrap();
    }
    world.platform.set_manner_about(2, Manner::Hangs);
    world.authorizer.run();
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
async fn owner_cache_is_bounded_for_100000_users() {
    let world = World::new(Rule::AddressedOnly).await;
    for owner in 0..100_000 {
        world.authorizer.admit_change(OwnerId(owner)).await.unwrap();
    }
    let count = world.authorizer.owners.count();
    assert!(
        (10_000..=super::reconciliation::MOST).contains(&count),
        "{count}"
    );
}

#[tokio::test(start_paused = true)]
async fn hanging_users_of_one_tenant_delay_no_others() {
    let world = World::new(Rule::AddressedOnly).await;
    for owner in 100..300 {
        world.platform.set_manner_about(owner, Manner::Hangs);
        let placed = world.memory.assign_realm(OwnerId(owner), tenant(7), noon());
        placed.await.unwrap();
    }
    let admit = |owner| {
        let authorizer = world.authorizer.clone();
        tokio::spawn(async move { authorizer.admit_change(OwnerId(owner)).await.is_ok() })
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
