//! An unknown id and a wrong secret of a known id cause the same work and take the same time,
//! whether the key is cached or not.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::time::Duration;

use gatepost_keys::Denied;
use gatepost_storage::KeyStore as _;
use gatepost_testkit::fault::Fault;
use tokio::time::Instant;

use crate::world::{Made, World, present};

/// Returns the number of all store calls, of those that look a key up, and the milliseconds.
async fn cost(world: &World, key: &Made) -> (u64, u64, u128) {
    let calls = || (world.store.calls(), world.store.calls_of("find_key"));
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
async fn unknown_wrong_and_disabled_keys_cost_the_same() {
    let world = World::new();
    let (hot, cold) = (world.key(1, "hot").await, world.key(1, "cold").await);
    let (gone, off) = (world.key(1, "gone").await, world.key(1, "off").await);
    present(&world.keys, &off).await.unwrap();
    world.switch(&off, false).await;
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
            &off.forged(round),
            &off,
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
async fn correct_secret_is_never_delayed() {
    let world = World::new();
    let key = world.key(1, "k").await;
    let began = Instant::now();
    present(&world.keys, &key).await.unwrap();
    let lookups = world.store.calls_of("find_key");
    present(&world.keys, &key).await.unwrap();
    assert_eq!(began.elapsed().as_millis(), 0);
    assert_eq!(world.store.calls_of("find_key"), lookups);
}

#[tokio::test]
async fn a_wrong_secret_brings_no_record_into_memory() {
    let world = World::new();
    let key = world.key(1, "k").await;
    let _ = present(&world.keys, &key.forged(0)).await;
    let lookups = world.store.calls_of("find_key");
    present(&world.keys, &key).await.unwrap();
    assert_eq!(world.store.calls_of("find_key"), lookups + 1);
}

/// Returns the largest difference between the shares of durations up to any limit (Kolmogorov and
/// Smirnov): 0 for equal samples, 1 for samples that do not overlap.
fn distance(a: &[Duration], b: &[Duration]) -> f64 {
    let share = |of: &[Duration], time| {
        of.iter().filter(|took| **took <= time).count() as f64 / of.len() as f64
    };
    let times = a.iter().chain(b);
    times.fold(0.0, |most: f64, time| {
        most.max((share(a, *time) - share(b, *time)).abs())
    })
}

/// Returns the times of a hundred refusals of a key of an unknown id and of wrong secrets, with a
/// store that takes longer for a key that it finds, and longer again if nothing is in its memory.
async fn times(
    world: &World,
    kinds: [&Made; 3],
    refuse: impl AsyncFn(&Made, IpAddr),
) -> [Vec<Duration>; 3] {
    let mut times: [Vec<Duration>; 3] = Default::default();
    for round in 0..100_u8 {
        for (kind, (key, least)) in kinds.iter().zip([0, 1_000, 2_500]).enumerate() {
            let late = Duration::from_micros(least + u64::from(round) * 37 % 1_500);
            world.store.fail("find_key", 1, Fault::Late(late));
            let began = Instant::now();
            // The guesses are too few to be slowed down.
            let addr = [10, 0, round, u8::try_from(kind).unwrap()].into();
            refuse(&key.forged(u32::from(round)), addr).await;
            times[kind].push(began.elapsed());
        }
    }
    times
}

#[tokio::test(start_paused = true)]
async fn unknown_id_and_wrong_secret_have_equal_timing() {
    let world = World::new();
    let (gone, hot, cold) = (
        world.key(1, "gone").await,
        world.key(1, "hot").await,
        world.key(1, "cold").await,
    );
    world.keys.delete(&world.user(1), gone.id).await.unwrap();
    present(&world.keys, &hot).await.unwrap();
    let kinds = [&gone, &hot, &cold];
    let [a, b, c] = times(&world, kinds, async |key, addr| {
        let refused = world.keys.authenticate([key.header.as_bytes()], addr).await;
        assert_eq!(refused.err(), Some(Denied::Unauthenticated));
    })
    .await;
    assert_eq!(
        [distance(&a, &b), distance(&a, &c)],
        [0.0, 0.0],
        "{a:?} {b:?} {c:?}"
    );
    // The control: a service that answers as soon as it is done is distinguishable.
    let [a, b, c] = times(&world, kinds, async |key, _| {
        let _ = world.store.key_by_lookup(key.lookup).await;
    })
    .await;
    assert!(
        distance(&a, &b) > 0.5 && distance(&a, &c) > 0.9,
        "{a:?} {b:?} {c:?}"
    );
}
