//! A disabled key gets the same response as a deleted one, in every process, until it is enabled.

use apikey_core::{KeyEdit, KeyId, Overlap};
use chrono::NaiveDate;
use gatepost_keys::{Denied, KeyError, OnLeak, Quota};
use gatepost_storage::KeyStore as _;
use gatepost_storage::keys::KeyShard;

use crate::world::{World, present};

#[tokio::test(start_paused = true)]
async fn disabled_key_fails_until_enabled_in_every_process() {
    let world = World::new();
    let (key, other) = (world.key(1, "k").await, world.key(1, "other").await);
    let processes = [world.keys.clone(), world.process()];
    for round in 0..3 {
        for keys in &processes {
            assert_eq!(present(keys, &key).await, Ok(()), "{round}");
        }
        world.switch(&key, false).await;
        for keys in &processes {
            let refused = present(keys, &key).await;
            assert_eq!(refused, Err(Denied::Unauthenticated), "{round}");
            assert_eq!(present(keys, &other).await, Ok(()), "{round}");
        }
        world.switch(&key, true).await;
    }
}

/// Uses of a disabled key are not recorded, like those of a deleted one.
#[tokio::test(start_paused = true)]
async fn disabled_key_use_is_not_recorded() {
    let world = World::new();
    let key = world.key(1, "k").await;
    world.switch(&key, false).await;
    let _ = present(&world.keys, &key).await;
    let row = world.keys.get(&world.user(1), key.id).await.unwrap();
    assert_eq!(row.unwrap().key.last_login, None);
    let (from, before) = (NaiveDate::MIN, NaiveDate::MAX);
    let user = world.user(1);
    let uses = world.keys.uses(&user, key.id, from, before, 9).await;
    assert_eq!(uses.unwrap(), Some(Vec::new()));
}

#[tokio::test]
async fn disabling_a_key_ignores_the_change_quota() {
    let world = World::with(Quota::UNLIMITED.with_key_changes_per_minute(2));
    let key = world.key(1, "k").await;
    let user = world.user(1);
    let edit = async |id: KeyId, edit: KeyEdit| world.keys.edit(&user, id, &edit).await.map(drop);
    for _ in 0..5 {
        edit(key.id, KeyEdit::switch(false)).await.unwrap();
    }
    let refused = edit(key.id, KeyEdit::switch(true)).await;
    assert!(
        matches!(refused, Err(KeyError::TooFast { .. })),
        "{refused:?}"
    );
    assert!(present(&world.keys, &key).await.is_err());
}

/// A repeated disable is never refused, and a change makes every process read the key again.
#[tokio::test]
async fn repeated_disabling_of_key_changes_nothing() {
    let world = World::new();
    let key = world.key(1, "k").await;
    let generation = || world.store.key_generation(KeyShard::of(key.lookup));
    let enabled = generation();
    world.switch(&key, false).await;
    let disabled = generation();
    assert_ne!(disabled, enabled, "control: the first time it is a change");
    let row = world.store.key(key.id).await.unwrap();
    for _ in 0..100 {
        world.switch(&key, false).await;
    }
    assert_eq!(generation(), disabled);
    assert_eq!(world.store.key(key.id).await.unwrap(), row);
    world.switch(&key, true).await;
    assert_eq!(present(&world.keys, &key).await, Ok(()));
}

#[tokio::test]
async fn key_disabled_by_anyone_cannot_be_rolled() {
    let world = World::new();
    let (key, user) = (world.key(1, "k").await, world.user(1));
    let administrator = world.administrator();
    let overlap = Overlap::seconds(3_600).unwrap();
    for who in [&user, &administrator] {
        let off = KeyEdit::switch(false);
        world.keys.edit(who, key.id, &off).await.unwrap();
        for roller in [&user, &administrator] {
            let refused = world.keys.roll(roller, key.id, overlap).await;
            assert!(matches!(refused, Err(KeyError::Disabled)));
        }
        let on = KeyEdit::switch(true);
        world.keys.edit(&administrator, key.id, &on).await.unwrap();
    }
    let rolled = world.keys.roll(&user, key.id, overlap).await;
    assert!(rolled.is_ok(), "control");
}

#[tokio::test]
async fn owner_cannot_enable_key_disabled_by_administrator() {
    let world = World::new();
    let (key, user) = (world.key(1, "k").await, world.user(1));
    let administrator = world.administrator();
    let edit = async |who, edit: KeyEdit| world.keys.edit(who, key.id, &edit).await.map(drop);
    let (off, on) = (KeyEdit::switch(false), KeyEdit::switch(true));
    let renamed = || KeyEdit::default().with_name("renamed".parse().unwrap());
    // The same holds for a key that its owner had disabled already.
    for owners in [false, true] {
        if owners {
            edit(&user, off.clone()).await.unwrap();
        }
        edit(&administrator, off.clone()).await.unwrap();
        edit(&user, off.clone()).await.unwrap();
        edit(&user, renamed()).await.unwrap();
        for enabling in [on.clone(), renamed().with_enabled(true)] {
            let refused = edit(&user, enabling).await;
            assert!(matches!(refused, Err(KeyError::Locked)), "{refused:?}");
        }
        assert!(present(&world.keys, &key).await.is_err());
        edit(&administrator, on.clone()).await.unwrap();
        assert_eq!(present(&world.keys, &key).await, Ok(()));
    }
    edit(&user, off).await.unwrap();
    edit(&user, on).await.unwrap();
    assert_eq!(present(&world.keys, &key).await, Ok(()));
}

#[tokio::test]
async fn owner_cannot_enable_key_disabled_as_leaked() {
    let world = World::new();
    let key = world.key(1, "k").await;
    let (user, administrator) = (world.user(1), world.administrator());
    let report = world
        .keys
        .report_leaked(&administrator, &key.header, OnLeak::Disable);
    assert_eq!(report.await.unwrap().len(), 1);
    let refused = world.keys.edit(&user, key.id, &KeyEdit::switch(true)).await;
    assert!(matches!(refused, Err(KeyError::Locked)), "{refused:?}");
}
