//! Counts of key uses: one per day, refused uses separately, written in the background.

use std::time::Duration;

use apikey_core::{Expiration, KeyEdit, KeyId, Overlap};
use gatepost_keys::{AccessLevel, Account, Denied, KeyService};
use gatepost_storage::Clock as _;
use gatepost_storage::keys::KeyUse;
use gatepost_testkit::fault::When;

use crate::world::{Made, World, present};

const DAY: Duration = Duration::from_secs(86_400);

/// Returns the used and refused counts of each day of 2026, the newest first.
async fn days(world: &World, keys: &KeyService, key: KeyId) -> Vec<(u64, u64)> {
    let first = "2026-01-01".parse().unwrap();
    let last = "2027-12-31".parse().unwrap();
    let uses = keys.uses(&world.user(1), key, first, last, 999).await;
    let counts = |day: &KeyUse| (day.used, day.refused);
    uses.unwrap().unwrap().iter().map(counts).collect()
}

async fn refused(world: &World, key: &Made, from: &str) -> Denied {
    let header = key.header.as_bytes();
    let denied = world.keys.authenticate([header], from.parse().unwrap());
    denied.await.unwrap_err()
}

#[tokio::test]
async fn thousand_uses_within_interval_write_one_row() {
    let world = World::new();
    let key = world.key(1, "k").await;
    for _ in 0..1_000 {
        present(&world.keys, &key).await.unwrap();
    }
    let before = world.store.calls_of("record_activity");
    assert_eq!(days(&world, &world.keys, key.id).await, [(1_000, 0)]);
    assert_eq!(world.store.calls_of("record_activity") - before, 1);
    assert_eq!(days(&world, &world.keys, key.id).await, [(1_000, 0)]);
    let idle = world.store.calls_of("record_activity") - before;
    assert_eq!(idle, 1, "nothing is written where nothing was used");
}

#[tokio::test]
async fn day_ends_at_utc_midnight_of_service_clock() {
    let world = World::new();
    let key = world.key(1, "k").await;
    world.clock.advance(DAY - Duration::from_secs(1));
    present(&world.keys, &key).await.unwrap();
    world.clock.advance(Duration::from_secs(1));
    for _ in 0..2 {
        present(&world.keys, &key).await.unwrap();
    }
    assert_eq!(days(&world, &world.keys, key.id).await, [(2, 0), (1, 0)]);
}

#[tokio::test]
async fn refusals_with_right_secret_are_counted_separately() {
    let world = World::new();
    let (user, key) = (world.user(1), world.key(1, "k").await);
    present(&world.keys, &key).await.unwrap();
    world
        .users
        .say(1, Some(Account::disabled(AccessLevel::User)));
    for _ in 0..2 {
        assert_eq!(
            refused(&world, &key, "10.0.0.1").await,
            Denied::Unauthenticated
        );
    }
    world
        .users
        .say(1, Some(Account::enabled(AccessLevel::User)));
    let edit = KeyEdit::default().with_ip_allow("10.0.0.1".parse().unwrap());
    world.keys.edit(&user, key.id, &edit).await.unwrap();
    for _ in 0..3 {
        assert_eq!(refused(&world, &key, "10.0.0.2").await, Denied::Address);
    }
    let soon = world.clock.now() + Duration::from_secs(60);
    let edit = KeyEdit::default().with_expiration(Expiration::At(soon));
    world.keys.edit(&user, key.id, &edit).await.unwrap();
    world.clock.advance(Duration::from_secs(61));
    for _ in 0..4 {
        assert_eq!(
            refused(&world, &key, "10.0.0.1").await,
            Denied::Unauthenticated
        );
    }
    assert_eq!(days(&world, &world.keys, key.id).await, [(1, 2 + 3 + 4)]);
}

/// Anybody could present one.
#[tokio::test(start_paused = true)]
async fn a_wrong_secret_counts_for_no_key() {
    let world = World::new();
    let key = world.key(1, "k").await;
    present(&world.keys, &key).await.unwrap();
    for round in 0..20 {
        assert!(present(&world.keys, &key.forged(round)).await.is_err());
    }
    assert_eq!(days(&world, &world.keys, key.id).await, [(1, 0)]);
}

/// An unavailable platform decides nothing about the key.
#[tokio::test(start_paused = true)]
async fn unavailable_store_counts_no_use() {
    let world = World::new();
    let key = world.key(1, "k").await;
    world.store.set_refused("find_key", true);
    assert_eq!(present(&world.keys, &key).await, Err(Denied::Unavailable));
    world.store.set_refused("find_key", false);
    assert_eq!(days(&world, &world.keys, key.id).await, []);
}

#[tokio::test]
async fn two_processes_add_up() {
    let world = World::new();
    let (other, key) = (world.process(), world.key(1, "k").await);
    for _ in 0..3 {
        present(&world.keys, &key).await.unwrap();
        present(&other, &key).await.unwrap();
    }
    other.shutdown().await;
    assert_eq!(days(&world, &world.keys, key.id).await, [(6, 0)]);
}

/// Counts that were not written are lost, and the loss is logged; nobody waits for them, and none
/// is doubled.
#[tokio::test]
async fn store_refusing_counts_still_admits_keys() {
    let world = World::new();
    let key = world.key(1, "k").await;
    world.store.set_refused("record_activity", true);
    present(&world.keys, &key).await.unwrap();
    assert_eq!(days(&world, &world.keys, key.id).await, []);
    world.store.set_refused("record_activity", false);
    present(&world.keys, &key).await.unwrap();
    assert_eq!(days(&world, &world.keys, key.id).await, [(1, 0)]);
}

/// The client of the reader disconnects.
#[tokio::test]
async fn uses_are_stored_once_when_reader_disconnects() {
    let world = World::new();
    let (user, key, gate) = (world.user(1), world.key(1, "k").await, world.store.gate());
    present(&world.keys, &key).await.unwrap();
    gate.hold("record_activity", 1, When::Before);
    tokio::select! {
        _ = world.keys.get(&user, key.id) => panic!("it waits for what was noted"),
        () = gate.arrived() => {}
    }
    present(&world.keys, &key).await.unwrap();
    gate.open();
    world.keys.shutdown().await;
    assert_eq!(days(&world, &world.process(), key.id).await, [(2, 0)]);
}

/// 100,000 keys take more than a hundred calls.
#[tokio::test(start_paused = true)]
async fn revocation_does_not_wait_for_use_writes() {
    let world = World::new();
    let (user, gate, used) = (world.user(1), world.store.gate(), world.key(1, "k").await);
    let (deleted, disabled) = (world.key(1, "a").await, world.key(1, "b").await);
    let rolled = world.key(1, "c").await;
    present(&world.keys, &used).await.unwrap();
    gate.hold("record_activity", 1, When::Before);
    let (keys, reads) = (world.keys.clone(), user.clone());
    let reader = tokio::spawn(async move { keys.get(&reads, used.id).await.map(|_| used) });
    gate.arrived().await;
    let revoked = async {
        world.keys.delete(&user, deleted.id).await.unwrap();
        world.switch(&disabled, false).await;
        let overlap = Overlap::seconds(0).unwrap();
        let _ = world
            .keys
            .roll(&user, rolled.id, overlap)
            .await
            .unwrap()
            .1
            .reveal();
    };
    let revoked = tokio::time::timeout(Duration::from_secs(1), revoked);
    revoked.await.unwrap();
    for key in [deleted, disabled, rolled] {
        let refused = present(&world.keys, &key).await;
        assert_eq!(refused, Err(Denied::Unauthenticated));
    }
    gate.open();
    let used = reader.await.unwrap().unwrap();
    assert_eq!(days(&world, &world.keys, used.id).await, [(1, 0)]);
}

#[tokio::test]
async fn uses_are_hidden_without_access_to_key() {
    let world = World::new();
    let key = world.key(1, "k").await;
    present(&world.keys, &key).await.unwrap();
    let (first, last) = ("2026-01-01".parse().unwrap(), "2027-01-01".parse().unwrap());
    let uses = async |owner, id| {
        let user = world.user(owner);
        let uses = world.keys.uses(&user, id, first, last, 9).await;
        uses.unwrap().map(|uses| uses.len())
    };
    assert_eq!(uses(1, key.id).await, Some(1));
    assert_eq!(uses(2, key.id).await, None);
    assert_eq!(uses(1, KeyId(key.id.0 + 1)).await, None);
    world.keys.delete(&world.user(1), key.id).await.unwrap();
    assert_eq!(uses(1, key.id).await, None);
}
