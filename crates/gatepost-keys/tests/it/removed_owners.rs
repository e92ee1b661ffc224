//! Keys of removed users, removed tenants and deleted keys do not authenticate.

use apikey_core::OwnerId;
use gatepost_keys::{Denied, KeyService, TenantId};
use gatepost_storage::keys::KeyQuery;
use gatepost_storage::{Page, Scope};
use gatepost_testkit::fault::Fault;

use crate::world::{Made, World, present};

/// Returns keys of users 1 and 2 of tenant 5 and of user 3 of tenant 6, all of them cached in both
/// processes.
async fn hot() -> (World, KeyService, [Made; 3]) {
    let world = World::new();
    for (owner, tenant) in [(1, 5), (2, 5), (3, 6)] {
        world.users.put(owner, tenant);
    }
    let keys = [
        world.key(1, "key").await,
        world.key(2, "key").await,
        world.key(3, "key").await,
    ];
    let another = world.process();
    for key in &keys {
        present(&world.keys, key).await.unwrap();
        present(&another, key).await.unwrap();
    }
    (world, another, keys)
}

async fn let_in(keys: &KeyService, made: &[Made; 3]) -> Vec<bool> {
    let mut outcomes = Vec::new();
    for key in made {
        let outcome = present(keys, key).await;
        assert!(matches!(outcome, Ok(()) | Err(Denied::Unauthenticated)));
        outcomes.push(outcome.is_ok());
    }
    outcomes
}

#[tokio::test(start_paused = true)]
async fn removed_user_keys_fail_immediately_in_every_process() {
    let (world, another, made) = hot().await;
    world.keys.remove_owner(OwnerId(1)).await.unwrap();
    for keys in [&world.keys, &another, &world.process()] {
        assert_eq!(let_in(keys, &made).await, [false, true, true]);
    }
    let query = KeyQuery::of_owner(OwnerId(1), Page::first(10));
    let listed = world.keys.list(&world.user(1), query).await.unwrap();
    assert!(listed.rows.is_empty(), "{listed:?}");
    assert_eq!(world.keys.count(OwnerId(1)).await.unwrap(), 0);
    // A second call is no error, and the name is free for a user who comes back.
    world.keys.remove_owner(OwnerId(1)).await.unwrap();
    let again = world.key(1, "key").await;
    present(&world.keys, &again).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn removed_tenant_keys_fail_but_not_others() {
    let (world, another, made) = hot().await;
    world.keys.remove_tenant(TenantId(5)).await.unwrap();
    for keys in [&world.keys, &another] {
        assert_eq!(let_in(keys, &made).await, [false, false, true]);
    }
    let mut admin = world.user(3);
    admin.access = gatepost_keys::AccessLevel::SystemAdministrator;
    let all = KeyQuery::all(Page::first(10));
    let all = world.keys.list(&admin, all).await.unwrap().rows;
    let owners: Vec<_> = all.iter().map(|row| row.key.owner.0).collect();
    assert_eq!(owners, [3]);
    let of_tenant = KeyQuery {
        scope: Scope::Tenant(TenantId(5)),
        ..KeyQuery::all(Page::first(10))
    };
    let of_tenant = world.keys.list(&admin, of_tenant).await.unwrap();
    assert!(of_tenant.rows.is_empty());
}

#[tokio::test(start_paused = true)]
async fn interrupted_removal_holds_and_continues_when_repeated() {
    let (world, another, made) = hot().await;
    world.store.fail("remove_gone", 1, Fault::Refused);
    assert!(world.keys.remove_owner(OwnerId(1)).await.is_err());
    for keys in [&world.keys, &another] {
        assert_eq!(let_in(keys, &made).await, [false, true, true]);
    }
    world.keys.remove_owner(OwnerId(1)).await.unwrap();
    assert_eq!(let_in(&world.keys, &made).await, [false, true, true]);
}

/// The control: keys that were not marked still authenticate.
#[tokio::test(start_paused = true)]
async fn removal_refused_by_store_removes_nothing() {
    let (world, another, made) = hot().await;
    world.store.fail("mark_gone", 1, Fault::Refused);
    assert!(world.keys.remove_owner(OwnerId(1)).await.is_err());
    for keys in [&world.keys, &another] {
        assert_eq!(let_in(keys, &made).await, [true, true, true]);
    }
}
