//! Limits on the number of an owner's keys, and on how often they may be changed.

use std::sync::Arc;
use std::time::Duration;

use apikey_core::{KeyEdit, OwnerId};
use gatepost_keys::{KeyError, KeyService, Quota, Quotas};

use crate::world::{World, draft, present};

#[tokio::test(start_paused = true)]
async fn key_beyond_quota_is_refused_with_numbers() {
    let quota = Quota::UNLIMITED.with_keys(2);
    let world = World::with(quota);
    let first = world.key(1, "a").await;
    world.key(1, "b").await;
    let refused = world.create(1, "c").await.map(drop);
    let full = matches!(refused, Err(KeyError::Full { have: 2, most: 2 }));
    assert!(full, "{refused:?}");
    world.key(2, "c").await;
    world.keys.delete(&world.user(1), first.id).await.unwrap();
    world.key(1, "c").await;
}

#[tokio::test(start_paused = true)]
async fn thirty_first_change_delays_only_its_user() {
    let world = World::with(Quota::default());
    let key = world.key(1, "key").await;
    let (user, edit) = (world.user(1), KeyEdit::default());
    for _ in 1..30 {
        world.keys.edit(&user, key.id, &edit).await.unwrap();
    }
    world.clock.advance(Duration::from_secs(20));
    let edited = world.keys.edit(&user, key.id, &edit).await.map(drop);
    let made = world.create(1, "new").await.map(drop);
    for answer in [edited, made] {
        let Err(KeyError::TooFast { retry_after }) = answer else {
            panic!("{answer:?}");
        };
        assert_eq!(retry_after, Duration::from_secs(40));
    }
    world.key(2, "key").await;
    world.clock.advance(Duration::from_secs(40));
    world.keys.edit(&user, key.id, &edit).await.unwrap();
}

/// Someone with a stolen session changes keys without end; the owner can still delete them all.
#[tokio::test(start_paused = true)]
async fn key_can_be_deleted_despite_exhausted_change_quota() {
    let world = World::with(Quota::default());
    let mut made = Vec::new();
    for n in 0..30 {
        made.push(world.key(1, &n.to_string()).await);
    }
    assert!(world.create(1, "more").await.is_err());
    for key in &made {
        world.keys.delete(&world.user(1), key.id).await.unwrap();
        assert!(present(&world.keys, key).await.is_err());
    }
    let refused = world.create(1, "more").await;
    assert!(
        matches!(refused, Err(KeyError::TooFast { .. })),
        "it counts"
    );
}

#[tokio::test(start_paused = true)]
async fn stranger_attempts_do_not_count_against_owner() {
    let world = World::with(Quota::default());
    let key = world.key(1, "key").await;
    let (stranger, edit) = (world.user(2), KeyEdit::default());
    for _ in 0..100 {
        let made = world.keys.create(&stranger, draft(1, "new")).await;
        assert!(matches!(made, Err(KeyError::Forbidden)));
        let edited = world.keys.edit(&stranger, key.id, &edit).await;
        assert!(matches!(edited, Err(KeyError::NotFound)));
    }
    world
        .keys
        .edit(&world.user(1), key.id, &edit)
        .await
        .unwrap();
}

#[tokio::test(start_paused = true)]
async fn clock_set_back_keeps_nobody_waiting_longer() {
    let world = World::with(Quota::default());
    for n in 0..30 {
        world.key(1, &n.to_string()).await;
    }
    assert!(world.create(1, "more").await.is_err());
    world.clock.jump(chrono::TimeDelta::hours(-1));
    world.key(1, "more").await;
}

#[derive(Debug)]
struct Careless;

impl Quotas for Careless {
    fn quota(&self, owner: OwnerId) -> Quota {
        assert_ne!(owner.0, 1, "on purpose");
        Quota::default()
    }
}

#[tokio::test(start_paused = true)]
async fn quotas_that_panic_cost_the_call_that_asked() {
    let world = World::new();
    let keys = KeyService::builder(world.store.clone(), world.users.clone())
        .quotas(Arc::new(Careless))
        .build();
    let refused = keys.create(&world.user(1), draft(1, "key")).await;
    let Err(KeyError::Store(error)) = refused.map(drop) else {
        panic!("stored without a quota");
    };
    assert!(error.is_transient(), "{error:?}");
    let made = keys.create(&world.user(2), draft(2, "key")).await;
    assert!(made.is_ok());
}
