//! One owner's edits do not remove another owner's keys from memory.

use apikey_core::KeyEdit;
use gatepost_keys::Denied;
use gatepost_storage::keys::KeyShard;
use gatepost_testkit::fault::{Fault, When};

use crate::world::{Made, World, present};

/// Creates a key of another owner, in the same shard or in another one.
async fn beside(world: &World, key: &Made, same: bool) -> Made {
    for n in 0..10_000 {
        let other = world.key(2, &format!("{same} {n}")).await;
        if (KeyShard::of(other.lookup) == KeyShard::of(key.lookup)) == same {
            return other;
        }
    }
    panic!("there is a shard that no key is in");
}

#[tokio::test(start_paused = true)]
async fn edit_in_other_shard_costs_no_store_call() {
    let world = World::new();
    let hot = world.key(1, "hot").await;
    let elsewhere = beside(&world, &hot, false).await;
    present(&world.keys, &hot).await.unwrap();

    let another = world.process();
    let edit = KeyEdit::default();
    another
        .edit(&world.user(2), elsewhere.id, &edit)
        .await
        .unwrap();
    another.delete(&world.user(2), elsewhere.id).await.unwrap();
    let before = world.store.calls();
    present(&world.keys, &hot).await.unwrap();
    assert_eq!(world.store.calls(), before);
}

/// The control of the test above: an edit that concerns the shard is seen.
#[tokio::test(start_paused = true)]
async fn edit_in_same_shard_costs_one_store_call() {
    let world = World::new();
    let hot = world.key(1, "hot").await;
    let beside = beside(&world, &hot, true).await;
    present(&world.keys, &hot).await.unwrap();
    let another = world.process();
    let edit = KeyEdit::default();
    another
        .edit(&world.user(2), beside.id, &edit)
        .await
        .unwrap();

    world.store.fail("key_changes", 1, Fault::Refused);
    assert_eq!(present(&world.keys, &hot).await, Err(Denied::Unavailable));
    assert!(world.store.has_failed());
    // One call for the changes; the record is not read again.
    world.store.set_refused("find_key", true);
    let before = world.store.calls();
    present(&world.keys, &hot).await.unwrap();
    assert_eq!(world.store.calls(), before + 1);
    present(&world.keys, &hot).await.unwrap();
    assert_eq!(world.store.calls(), before + 1);
}

#[tokio::test(start_paused = true)]
async fn deleted_key_fails_immediately_in_every_process() {
    let world = World::new();
    let another = world.process();
    let key = world.key(1, "key").await;
    for keys in [&world.keys, &another] {
        present(keys, &key).await.unwrap();
    }
    world.keys.delete(&world.user(1), key.id).await.unwrap();
    for keys in [&world.keys, &another] {
        assert_eq!(present(keys, &key).await, Err(Denied::Unauthenticated));
    }
}

/// The second request comes while the first one reads the changes, and does not use the cache.
#[tokio::test(start_paused = true)]
async fn deleted_key_fails_while_another_request_reads_changes() {
    let world = World::new();
    let key = world.key(1, "key").await;
    present(&world.keys, &key).await.unwrap();
    let another = world.process();
    another.delete(&world.user(1), key.id).await.unwrap();
    let gate = world.store.gate();
    gate.hold("key_changes", 1, When::Before);
    let let_go = async {
        gate.arrived().await;
        tokio::task::yield_now().await;
        gate.open();
    };
    let request = || present(&world.keys, &key);
    let (first, second, ()) = tokio::join!(request(), request(), let_go);
    let refused = Err(Denied::Unauthenticated);
    assert_eq!((first, second), (refused, refused));
}
