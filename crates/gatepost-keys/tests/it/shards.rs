//! One owner's edits do not remove another owner's keys from memory.

use apikey_core::KeyEdit;
use gatepost_keys::Denied;
use gatepost_storage::keys::KeySlice;
use gatepost_testkit::fault::{Fault, When};

use crate::world::{Made, World, present};

/// Creates a key of another owner, in the same shard or in another one.
async fn beside(world: &World, key: &Made, same: bool) -> Made {
    for n in 0..10_000 {
        let other = world.key(2, &format!("{same} {n}")).await;
        if (KeySlice::of(other.lookup) == KeySlice::of(key.lookup)) == same {
            return other;
        }
    }
    panic!("there is a slice that no key is in");
}

#[tokio::test(start_paused = true)]
async fn an_edit_elsewhere_costs_a_hot_key_no_question_to_the_store() {
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
async fn an_edit_in_its_slice_costs_a_hot_key_one_question_and_its_record_stays() {
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
async fn a_deleted_key_fails_at_once_in_every_process() {
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
async fn a_deleted_key_fails_also_while_another_request_finds_out() {
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
