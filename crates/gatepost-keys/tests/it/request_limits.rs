//! Request limits of a key, and of all keys of a user.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use apikey_core::{ExceedsCaller, KeyEdit};
use chrono::{DateTime, Utc};
use gatepost_keys::{
    Denied, KeyError, KeyService, Principal, Quota, RateLimit, RateOf, RateState, RequestLimits,
    Via,
};
use gatepost_storage::{Clock, KeyStore as _};

use crate::world::{Made, World, beyond, draft, present};

fn limit(requests: u32) -> RateLimit {
    RateLimit::per_minute(requests).unwrap()
}

/// Returns a process over the same store, with these limits.
fn process(world: &World, limits: RequestLimits, cached: usize) -> KeyService {
    KeyService::builder(world.store.clone(), world.users.clone())
        .clock(world.clock.clone())
        .quotas(Arc::new(Quota::UNLIMITED))
        .request_limits(limits)
        .cached_keys(cached)
        .build()
}

async fn limited(world: &World, owner: u128, name: &str, requests: Option<u32>) -> Made {
    let draft = draft(owner, name).with_limit(requests.map(limit));
    let made = world.keys.create(&world.user(owner), draft).await;
    let (row, reveal) = made.unwrap();
    Made {
        id: row.id,
        lookup: row.key.lookup,
        header: format!("Bearer {}", reveal.reveal().as_str()),
    }
}

/// A clock that is set while no time passes.
#[derive(Debug)]
struct SetClock(Mutex<DateTime<Utc>>);

impl Clock for SetClock {
    fn now(&self) -> DateTime<Utc> {
        *self.0.lock().unwrap()
    }

    fn passed(&self) -> Option<Duration> {
        Some(Duration::ZERO)
    }
}

/// Counts the requests that are let in; the others exceed a limit.
async fn let_in(keys: &KeyService, key: &Made, requests: usize) -> usize {
    let mut passed = 0;
    for _ in 0..requests {
        match present(keys, key).await {
            Ok(()) => passed += 1,
            Err(Denied::TooManyRequests(_)) => {}
            Err(other) => panic!("{other:?}"),
        }
    }
    passed
}

async fn refused(keys: &KeyService, key: &Made) -> RateState {
    match present(keys, key).await {
        Err(Denied::TooManyRequests(over)) => over,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn rate_limited_key_bursts_then_refills_evenly() {
    let world = World::new();
    let key = limited(&world, 1, "k", Some(6)).await;
    let other = world.key(1, "other").await;
    assert_eq!(let_in(&world.keys, &key, 20).await, 6);
    let over = refused(&world.keys, &key).await;
    assert_eq!(
        (over.of, over.limit, over.remaining),
        (RateOf::Key, limit(6), 0)
    );
    assert_eq!(over.seconds(), 10);
    assert_eq!(over.policy(), r#""key";q=6;w=60"#);
    assert_eq!(over.field(), r#""key";r=0;t=10"#);
    world.clock.advance(Duration::from_secs(9));
    assert_eq!(refused(&world.keys, &key).await.seconds(), 1);
    world.clock.advance(Duration::from_secs(1));
    assert_eq!(let_in(&world.keys, &key, 3).await, 1);
    assert_eq!(let_in(&world.keys, &other, 50).await, 50, "without a limit");
    assert_eq!(let_in(&world.process(), &key, 20).await, 6, "by process");
}

#[tokio::test]
async fn a_clock_that_is_set_fills_no_bucket() {
    let world = World::new();
    let key = limited(&world, 1, "k", Some(2)).await;
    let clock = Arc::new(SetClock(Mutex::new(world.clock.now())));
    let keys = KeyService::builder(world.store.clone(), world.users.clone())
        .clock(clock.clone())
        .build();
    assert_eq!(let_in(&keys, &key, 9).await, 2);
    for to in ["2027-01-01T00:00:00Z", "2025-01-01T00:00:00Z"] {
        *clock.0.lock().unwrap() = to.parse().unwrap();
        assert_eq!(let_in(&keys, &key, 9).await, 0);
    }
}

#[tokio::test]
async fn keys_share_the_limit_of_their_user_only() {
    let world = World::new();
    let limits = RequestLimits::default()
        .with_per_key(limit(4))
        .with_per_owner(limit(6));
    let keys = process(&world, limits, 1_000);
    let (first, second) = (world.key(1, "a").await, world.key(1, "b").await);
    let stranger = world.key(2, "a").await;
    assert_eq!(let_in(&keys, &first, 100).await, 4, "the key's");
    assert_eq!(
        let_in(&keys, &second, 100).await,
        2,
        "the rest of the user's"
    );
    assert_eq!(refused(&keys, &second).await.of, RateOf::Owner);
    assert_eq!(let_in(&keys, &stranger, 100).await, 4);
}

#[tokio::test]
async fn edits_and_cache_evictions_refill_no_bucket() {
    let world = World::new();
    // The cache holds a single key of one owner, so two of them take turns.
    let keys = process(&world, RequestLimits::default(), 100);
    let key = limited(&world, 1, "k", Some(5)).await;
    let other = limited(&world, 1, "other", Some(100)).await;
    let mut passed = 0;
    for turn in 0..20 {
        passed += let_in(&keys, &key, 1).await;
        let_in(&keys, &other, 1).await;
        let edit = KeyEdit::default().with_description(format!("{turn}").parse().unwrap());
        keys.edit(&world.user(1), key.id, &edit).await.unwrap();
    }
    assert_eq!(passed, 5);
}

#[tokio::test]
async fn edited_limit_applies_to_next_request() {
    let world = World::new();
    let key = limited(&world, 1, "k", Some(1)).await;
    assert_eq!(let_in(&world.keys, &key, 9).await, 1);
    let edit = async |limit: Option<RateLimit>| {
        let edit = KeyEdit::default().with_limit(limit);
        let edited = world.keys.edit(&world.user(1), key.id, &edit).await;
        assert_eq!(edited.unwrap().key.limit, limit);
    };
    edit(Some(limit(60))).await;
    assert_eq!(
        refused(&world.keys, &key).await.seconds(),
        1,
        "not a minute"
    );
    world.clock.advance(Duration::from_secs(10));
    assert_eq!(let_in(&world.keys, &key, 99).await, 10);
    edit(None).await;
    assert_eq!(let_in(&world.keys, &key, 99).await, 99);
}

#[tokio::test]
async fn caller_sees_state_of_nearest_limit() {
    let world = World::new();
    let limits = RequestLimits::default().with_per_owner(limit(3));
    let keys = process(&world, limits, 1_000);
    let key = limited(&world, 1, "k", Some(60)).await;
    let from = "10.0.0.1".parse().unwrap();
    let standing = async || {
        let caller = keys.authenticate([key.header.as_bytes()], from).await;
        caller.unwrap().rate.unwrap()
    };
    let first = standing().await;
    assert_eq!((first.of, first.remaining), (RateOf::Owner, 2));
    assert_eq!(first.field(), r#""owner";r=2;t=20"#);
    let free = world.key(1, "free").await;
    let caller = world.keys.authenticate([free.header.as_bytes()], from);
    assert_eq!(caller.await.unwrap().rate, None, "nothing limits it");
}

#[tokio::test]
async fn forged_key_consumes_and_reveals_no_limit() {
    let world = World::new();
    let key = limited(&world, 1, "k", Some(2)).await;
    for round in 1..9 {
        let wrong = present(&world.keys, &key.forged(round)).await;
        assert_eq!(wrong, Err(Denied::Unauthenticated));
    }
    assert_eq!(let_in(&world.keys, &key, 9).await, 2);
    let wrong = present(&world.keys, &key.forged(10)).await;
    assert_eq!(wrong, Err(Denied::Unauthenticated), "whoever guesses");
}

#[tokio::test]
async fn over_limit_request_counts_as_refused_not_login() {
    let world = World::new();
    let key = limited(&world, 1, "k", Some(2)).await;
    assert_eq!(let_in(&world.keys, &key, 2).await, 2);
    world.clock.advance(Duration::from_secs(1));
    assert_eq!(let_in(&world.keys, &key, 5).await, 0);
    let today = "2026-01-01".parse().unwrap();
    let tomorrow = "2026-01-02".parse().unwrap();
    let user = world.user(1);
    let uses = world.keys.uses(&user, key.id, today, tomorrow, 9).await;
    let uses = uses.unwrap().unwrap();
    assert_eq!((uses[0].used, uses[0].refused), (2, 5));
    let row = world.store.key(key.id).await.unwrap().unwrap();
    let login = row.key.last_login.unwrap().at;
    assert_eq!(
        login,
        "2026-01-01T00:00:00Z".parse::<DateTime<Utc>>().unwrap()
    );
}

#[tokio::test]
async fn limited_key_sets_no_higher_limit() {
    let world = World::new();
    let acting = limited(&world, 1, "acting", Some(60)).await;
    let mut by: Principal = world.user(1);
    by.via = Via::Key(acting.id);
    for (at, (requests, refused)) in [
        (None, Some(ExceedsCaller::Requests)),
        (Some(61), Some(ExceedsCaller::Requests)),
        (Some(60), None),
        (Some(1), None),
    ]
    .into_iter()
    .enumerate()
    {
        let new = draft(1, &format!("new {at}")).with_limit(requests.map(limit));
        assert_eq!(beyond(world.keys.create(&by, new).await), refused);
        let edit = KeyEdit::default().with_limit(requests.map(limit));
        let own = world.keys.edit(&by, acting.id, &edit).await;
        assert_eq!(beyond(own), refused, "its own, {requests:?}");
        let edit = KeyEdit::default().with_limit(Some(limit(60)));
        let user = world.user(1);
        world.keys.edit(&user, acting.id, &edit).await.unwrap();
    }
}

#[tokio::test]
async fn key_limit_never_exceeds_platform_limit() {
    let world = World::new();
    let limits = RequestLimits::default().with_per_key(limit(60));
    let (keys, user) = (process(&world, limits, 1_000), world.user(1));
    let new = |requests| draft(1, "k").with_limit(Some(limit(requests)));
    let over = keys.create(&user, new(61)).await.unwrap_err();
    assert!(matches!(over, KeyError::OverLimit { most } if most == limit(60)));
    assert_eq!(over.to_string(), "must be at most 60 requests per minute");
    // A key from the time without a platform limit: it can be edited like any other, and the lower
    // limit applies.
    let key = limited(&world, 1, "old", Some(1_000)).await;
    let edit = |limit| {
        let mut edit = KeyEdit::default().with_name("renamed".parse().unwrap());
        edit.limit = limit;
        edit
    };
    keys.edit(&user, key.id, &edit(None)).await.unwrap();
    let over = keys.edit(&user, key.id, &edit(Some(Some(limit(61))))).await;
    assert!(matches!(over, Err(KeyError::OverLimit { .. })));
    assert_eq!(let_in(&keys, &key, 99).await, 60);
}
