//! A key is rolled: both are valid during the overlap, and nobody gains permissions.

use std::time::Duration;

use apikey_core::{
    ExceedsCaller, Expiration, Grant, KeyDraft, KeyEdit, Overlap, RateLimit, RevealOnce, ScopeNames,
};
use chrono::TimeDelta;
use gatepost_keys::{Denied, KeyError, KeyService, Principal, Quota, TenantId, Via};
use gatepost_storage::keys::KeyRow;
use gatepost_storage::{Clock as _, KeyStore as _, Revision};
use gatepost_testkit::fault::Passing;

use crate::world::{Made, World, beyond, draft, present};

const DAY: i64 = 24 * 60 * 60;

fn overlap(seconds: i64) -> Overlap {
    Overlap::seconds(seconds).unwrap()
}

fn as_made((row, reveal): (KeyRow, RevealOnce)) -> Made {
    Made {
        id: row.id,
        lookup: row.key.lookup,
        header: format!("Bearer {}", reveal.reveal().as_str()),
    }
}

async fn roll(
    keys: &KeyService,
    by: &Principal,
    key: &Made,
    seconds: i64,
) -> Result<Made, KeyError> {
    keys.roll(by, key.id, overlap(seconds)).await.map(as_made)
}

/// Returns user 1, authenticated by this key.
fn by(world: &World, key: &Made, grant: Grant) -> Principal {
    let mut by = world.user(1).with_grant(grant);
    by.via = Via::Key(key.id);
    by
}

/// Another edit is always stored first.
#[tokio::test]
async fn change_among_many_is_contended_not_failed() {
    let world = World::new();
    let key = world.key(1, "ci").await;
    world.store.alter(|passing| {
        if let Passing::Key(row) = passing {
            row.revision = Revision(0);
        }
    });
    let user = world.user(1);
    let edit = KeyEdit::switch(true);
    let edited = world.keys.edit(&user, key.id, &edit).await;
    assert!(matches!(edited, Err(KeyError::Contended)), "{edited:?}");
    let rolled = roll(&world.keys, &user, &key, DAY).await;
    assert!(matches!(rolled, Err(KeyError::Contended)), "{rolled:?}");
}

#[tokio::test]
async fn rolled_keys_both_work_until_the_overlap_ends() {
    let world = World::new();
    let old = world.key(1, "ci").await;
    let processes = [world.keys.clone(), world.process()];
    for keys in &processes {
        assert_eq!(present(keys, &old).await, Ok(()));
    }
    let new = roll(&world.keys, &world.user(1), &old, DAY).await.unwrap();
    for keys in &processes {
        assert_eq!(present(keys, &old).await, Ok(()));
        assert_eq!(present(keys, &new).await, Ok(()));
    }
    world.clock.advance(Duration::from_secs(24 * 60 * 60));
    for keys in &processes {
        let ended = present(keys, &old).await;
        assert_eq!(ended, Err(Denied::Unauthenticated));
        assert_eq!(present(keys, &new).await, Ok(()));
    }
    let was = world.store.key(old.id).await.unwrap().unwrap();
    let is = world.store.key(new.id).await.unwrap().unwrap();
    assert_eq!(
        (was.rolled.to, is.rolled.from),
        (Some(new.id), Some(old.id))
    );
    assert_eq!(is.key.name.as_str(), "ci (2)");
    assert_eq!(is.key.expiration, Expiration::Never);
}

#[tokio::test]
async fn old_key_without_overlap_is_refused_immediately() {
    let world = World::new();
    let old = world.key(1, "ci").await;
    let other = world.process();
    assert_eq!(present(&other, &old).await, Ok(()));
    let new = roll(&world.keys, &world.user(1), &old, 0).await.unwrap();
    assert_eq!(present(&other, &old).await, Err(Denied::Unauthenticated));
    assert_eq!(present(&other, &new).await, Ok(()));
}

#[tokio::test]
async fn key_is_rolled_again_only_after_successor_deletion() {
    let world = World::new();
    let (user, old) = (world.user(1), world.key(1, "ci").await);
    let new = roll(&world.keys, &user, &old, DAY).await.unwrap();
    let again = roll(&world.keys, &user, &old, DAY).await;
    assert!(matches!(again, Err(KeyError::AlreadyRolled)), "{again:?}");
    let third = roll(&world.keys, &user, &new, DAY).await.unwrap();
    world.keys.delete(&user, new.id).await.unwrap();
    let another = roll(&world.keys, &user, &old, DAY).await.unwrap();
    for (key, name) in [(third, "ci (3)"), (another, "ci (2)")] {
        let row = world.store.key(key.id).await.unwrap().unwrap();
        assert_eq!(row.key.name.as_str(), name);
    }
}

#[tokio::test]
async fn concurrent_rolls_only_one_succeeds() {
    let world = World::new();
    let (user, old) = (world.user(1), world.key(1, "ci").await);
    let rolls = (0..8).map(|_| {
        let (keys, user, old) = (world.keys.clone(), user.clone(), old.clone());
        tokio::spawn(async move { roll(&keys, &user, &old, DAY).await.is_ok() })
    });
    let mut done = 0;
    for roll in rolls.collect::<Vec<_>>() {
        done += usize::from(roll.await.unwrap());
    }
    assert_eq!(done, 1);
    assert_eq!(world.keys.count(user.owner).await.unwrap(), 2);
}

#[tokio::test]
async fn roll_skips_taken_names_and_respects_key_quota() {
    let world = World::with(
        Quota::default()
            .with_keys(4)
            .with_key_changes_per_minute(u32::MAX),
    );
    let (user, old) = (world.user(1), world.key(1, "ci").await);
    world.key(1, "ci (2)").await;
    let new = roll(&world.keys, &user, &old, DAY).await.unwrap();
    let row = world.store.key(new.id).await.unwrap().unwrap();
    assert_eq!(row.key.name.as_str(), "ci (3)");
    let last = world.key(1, "last").await;
    let full = roll(&world.keys, &user, &last, 0).await;
    assert!(matches!(full, Err(KeyError::Full { have: 4, most: 4 })));
    assert_eq!(present(&world.keys, &last).await, Ok(()), "nothing ended");
}

#[tokio::test]
async fn roll_counts_toward_the_change_quota() {
    let world = World::with(Quota::default().with_key_changes_per_minute(2));
    let (user, old) = (world.user(1), world.key(1, "ci").await);
    let new = roll(&world.keys, &user, &old, DAY).await.unwrap();
    let fast = roll(&world.keys, &user, &new, DAY).await;
    assert!(matches!(fast, Err(KeyError::TooFast { .. })), "{fast:?}");
}

#[tokio::test]
async fn roll_by_stranger_or_after_expiration_is_refused() {
    let world = World::new();
    let old = world.key(1, "ci").await;
    world.users.put(1, 5);
    world.users.put(2, 5);
    assert_eq!(world.user(2).tenant, Some(TenantId(5)));
    let refused = roll(&world.keys, &world.user(2), &old, DAY).await;
    assert!(matches!(refused, Err(KeyError::NotFound)), "{refused:?}");
    let ends = world.clock.now() + TimeDelta::seconds(5);
    let edit = KeyEdit::default().with_expiration(Expiration::At(ends));
    world
        .keys
        .edit(&world.user(1), old.id, &edit)
        .await
        .unwrap();
    world.clock.advance(Duration::from_secs(5));
    let refused = roll(&world.keys, &world.user(1), &old, DAY).await;
    assert!(matches!(refused, Err(KeyError::Edit(_))), "{refused:?}");
    assert_eq!(world.keys.count(world.user(1).owner).await.unwrap(), 1);
}

/// Returns a key that is narrower in every way.
fn narrow(world: &World, name: &str) -> KeyDraft {
    draft(1, name)
        .with_expiration(Expiration::At(world.clock.now() + TimeDelta::days(10)))
        .with_ip(apikey_core::IpPolicy {
            allow: "10.0.0.0/8".parse().unwrap(),
            ..apikey_core::IpPolicy::default()
        })
        .with_grant(Grant::new(
            false,
            "user_api_keys".parse().unwrap(),
            ScopeNames::none(),
        ))
        .with_limit(Some(RateLimit::per_minute(60).unwrap()))
}

#[tokio::test]
async fn key_rolling_itself_repeatedly_gains_nothing() {
    let world = World::new();
    let first = world
        .keys
        .create(&world.user(1), narrow(&world, "ci"))
        .await;
    let first = first.unwrap();
    let (bounds, mut key) = (first.0.key.clone(), as_made(first));
    for _ in 0..5 {
        world.clock.advance(Duration::from_secs(24 * 60 * 60));
        let by = by(&world, &key, bounds.grant.clone());
        key = roll(&world.keys, &by, &key, 30 * DAY).await.unwrap();
        let row = world.store.key(key.id).await.unwrap().unwrap();
        assert_eq!(row.key.bounds().check_within(&bounds.bounds()), Ok(()));
        assert_eq!(row.key.expiration, bounds.expiration, "not later");
    }
    let by_user = world.keys.roll(&world.user(1), key.id, overlap(0)).await;
    let renewed = by_user.unwrap().0.key.expiration;
    let Expiration::At(renewed) = renewed else {
        panic!("it has a date");
    };
    assert_eq!(
        renewed,
        world.clock.now() + TimeDelta::days(5),
        "a person renews"
    );
}

#[tokio::test]
async fn a_narrow_key_rolls_none_that_is_wider() {
    let world = World::new();
    let acting = world
        .keys
        .create(&world.user(1), narrow(&world, "acting"))
        .await;
    let acting = as_made(acting.unwrap());
    let by = by(&world, &acting, narrow(&world, "x").grant);
    let limit = |requests| Some(RateLimit::per_minute(requests).unwrap());
    let base = || narrow(&world, "k");
    for (at, (new, refused)) in [
        (base(), None),
        (
            base().with_expiration(Expiration::Never),
            Some(ExceedsCaller::Expiration),
        ),
        (
            base().with_ip(apikey_core::IpPolicy::default()),
            Some(ExceedsCaller::Allow),
        ),
        (base().with_grant(Grant::all()), Some(ExceedsCaller::Tables)),
        (base().with_limit(limit(61)), Some(ExceedsCaller::Requests)),
    ]
    .into_iter()
    .enumerate()
    {
        let named = new.with_name(format!("k {at}").parse().unwrap());
        let made = world.keys.create(&world.user(1), named).await.unwrap();
        let rolled = world.keys.roll(&by, made.0.id, overlap(0)).await;
        assert_eq!(beyond(rolled), refused);
    }
}
