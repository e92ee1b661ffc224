//! An unknown id and a wrong secret of a known one are the same work and the same moment, whether
//! the key is in memory or not.

use std::collections::BTreeSet;

use gatepost_keys::Denied;
use tokio::time::Instant;

use crate::world::{Made, World, present};

/// The calls of the store, all of them and those that look a key up, and the milliseconds.
async fn cost(world: &World, key: &Made) -> (u64, u64, u128) {
    let calls = || (world.store.calls(), world.store.calls_of("key_by_lookup"));
    let (before, began) = (calls(), Instant::now());
    let refused = present(&world.keys, key).await;
    assert_eq!(refused, Err(Denied::Unauthenticated));
    let (all, lookups) = calls();
    (
        all - before.0,
        lookups - before.1,
        began.elapsed().as_millis(),
    )
}

#[tokio::test(start_paused = true)]
async fn an_unknown_id_and_a_wrong_secret_cost_the_same() {
    let world = World::new();
    let (hot, cold) = (world.key(1, "hot").await, world.key(1, "cold").await);
    let gone = world.key(1, "gone").await;
    world.keys.delete(&world.user(1), gone.id).await.unwrap();
    present(&world.keys, &hot).await.unwrap();
    let _ = present(&world.keys, &gone).await;
    let mut costs = BTreeSet::new();
    for round in 0..5 {
        for key in [
            &hot.forged(round),
            &cold.forged(round),
            &gone.forged(round),
            &gone,
        ] {
            costs.insert(cost(&world, key).await);
        }
    }
    let costs: Vec<_> = costs.into_iter().collect();
    let [(calls, 1, milliseconds)] = costs[..] else {
        panic!("{costs:?}");
    };
    assert!(calls <= 3 && (5..=6).contains(&milliseconds), "{costs:?}");
}

#[tokio::test(start_paused = true)]
async fn whoever_has_the_secret_waits_for_nothing() {
    let world = World::new();
    let key = world.key(1, "k").await;
    let began = Instant::now();
    present(&world.keys, &key).await.unwrap();
    let lookups = world.store.calls_of("key_by_lookup");
    present(&world.keys, &key).await.unwrap();
    assert_eq!(began.elapsed().as_millis(), 0);
    assert_eq!(world.store.calls_of("key_by_lookup"), lookups);
}

#[tokio::test]
async fn a_wrong_secret_brings_no_record_into_memory() {
    let world = World::new();
    let key = world.key(1, "k").await;
    let _ = present(&world.keys, &key.forged(0)).await;
    let lookups = world.store.calls_of("key_by_lookup");
    present(&world.keys, &key).await.unwrap();
    assert_eq!(world.store.calls_of("key_by_lookup"), lookups + 1);
}
