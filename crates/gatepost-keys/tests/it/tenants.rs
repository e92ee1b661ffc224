//! Owners are in the tenants that the platform names, and a request that is authenticated from
//! memory calls nothing.

use apikey_core::OwnerId;
use gatepost_keys::{AccessLevel, Account, KeyService, Realm, TenantId};
use gatepost_storage::keys::KeyQuery;
use gatepost_storage::{OwnerStore, Page};
use gatepost_testkit::fault::Fault;

use crate::world::{World, present};

async fn place(world: &World, owner: u128) -> Option<Realm> {
    let row = world.store.owner(OwnerId(owner)).await.unwrap();
    row.map(|row| row.realm)
}

#[tokio::test(start_paused = true)]
async fn an_owner_is_placed_with_the_first_key() {
    let world = World::new();
    world.users.put(1, 5);
    world.key(1, "key").await;
    assert_eq!(place(&world, 1).await, Some(Realm::Tenant(TenantId(5))));
    // A store that cannot assign an owner refuses its keys too: they would be in no tenant.
    world.users.put(2, 5);
    world.store.fail("set_owner", 1, Fault::Refused);
    assert!(world.create(2, "key").await.is_err());
    assert_eq!(world.keys.count(OwnerId(2)).await.unwrap(), 0);
}

#[tokio::test(start_paused = true)]
async fn without_tenants_nobody_is_placed() {
    let world = World::new();
    let admin = Account::enabled(AccessLevel::SystemAdministrator);
    world.users.say(2, Some(admin));
    for owner in [1, 2] {
        let key = world.key(owner, "key").await;
        for keys in [&world.keys, &world.process()] {
            present(keys, &key).await.unwrap();
        }
        assert_eq!(place(&world, owner).await, None, "{owner}");
    }
    // A user with a stored realm on such a platform has a row, which isolates nobody.
    let now = "2026-01-01T00:00:00Z".parse().unwrap();
    world
        .store
        .hold_owner(OwnerId(1), false, now)
        .await
        .unwrap();
    world.key(1, "another").await;
    assert_eq!(place(&world, 1).await, Some(Realm::Shared));
}

#[tokio::test(start_paused = true)]
async fn moved_user_changes_realm_only_on_cold_lookup() {
    let world = World::new();
    world.users.put(1, 5);
    let key = world.key(1, "key").await;
    present(&world.keys, &key).await.unwrap();

    world.users.put(1, 6);
    let before = world.store.calls();
    present(&world.keys, &key).await.unwrap();
    assert_eq!(
        world.store.calls(),
        before,
        "a hot key asks the store nothing"
    );
    let tenant = |id| Some(Realm::Tenant(TenantId(id)));
    assert_eq!(place(&world, 1).await, tenant(5));
    cold(&world, &key).await;
    assert_eq!(place(&world, 1).await, tenant(6));
    // The platform withdraws it.
    world
        .users
        .say(1, Some(Account::enabled(AccessLevel::User)));
    cold(&world, &key).await;
    assert_eq!(place(&world, 1).await, Some(Realm::Solo(OwnerId(1))));
}

/// Returns a process that has just been started.
async fn cold(world: &World, key: &crate::world::Made) -> KeyService {
    let process = world.process();
    present(&process, key).await.unwrap();
    process
}

#[tokio::test(start_paused = true)]
async fn store_failing_to_assign_realm_admits_good_keys() {
    let world = World::new();
    let key = world.key(1, "key").await;
    world.users.put(1, 5);
    world.store.fail("set_owner", 1, Fault::Refused);
    let keys = cold(&world, &key).await;
    assert!(world.store.has_failed());
    assert_eq!(place(&world, 1).await, None);
    // The next process that reads the store tries again, not this one.
    present(&keys, &key).await.unwrap();
    assert_eq!(place(&world, 1).await, None);
    cold(&world, &key).await;
    assert_eq!(place(&world, 1).await, Some(Realm::Tenant(TenantId(5))));
}

#[tokio::test(start_paused = true)]
async fn users_of_before_are_placed_on_request() {
    let world = World::new();
    for owner in 1..=250 {
        world.key(owner, "key").await;
    }
    // Then the platform introduces tenants, but not for everybody.
    for owner in 1..=249 {
        world.users.put(owner, 5);
    }
    world.users.say(7, None);
    assert_eq!(world.keys.assign_realms().await.unwrap(), 248);
    assert_eq!(place(&world, 249).await, Some(Realm::Tenant(TenantId(5))));
    for left in [7, 250] {
        assert_eq!(place(&world, left).await, None, "{left}");
    }
    assert_eq!(world.keys.assign_realms().await.unwrap(), 0);
    let mut admin = world.user(249);
    admin.access = AccessLevel::TenantAdministrator;
    let all = KeyQuery::all(Page::first(500));
    let listed = world.keys.list(&admin, all).await.unwrap();
    assert_eq!(listed.rows.len(), 248);
}
