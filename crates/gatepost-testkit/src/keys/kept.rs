//! Contract tests of a durable key store. Each takes the harness.

use std::sync::Arc;

use apikey_core::{LastLogin, RateLimit};
use gatepost_storage::keys::{ChangedKeys, KeyGeneration, KeyQuery, KeyShard, KeyUse, Login};
use gatepost_storage::{KeyStore, Page};

use crate::fixtures::{at, full_grant, key};
use crate::harness::Harness;
use crate::outcome::Outcome;

type Home = Arc<dyn Harness<Arc<dyn KeyStore>>>;

/// When the store is opened again, keys must be there with their grants, limits, rolls, logins and
/// uses; deleted ones must stay deleted, and row numbers must continue.
pub async fn k18_keys_outlive_the_store(place: Home) -> Outcome {
    let store = place.fresh().await;
    let mut row = store.insert_key(&key(1, "a"), u64::MAX).await.unwrap();
    (row.key.grant, row.key.enabled) = (full_grant(), false);
    row.key.limit = Some(RateLimit::per_minute(60).unwrap());
    let row = store.update_key(&row, at(1)).await.unwrap();
    let rolled = store.roll_key(&row, &key(1, "b"), u64::MAX, at(1)).await;
    rolled.unwrap();
    let from = "2001:db8::1".parse().unwrap();
    let login = LastLogin { at: at(5), from };
    store
        .record_logins(&[Login { key: row.id, login }])
        .await
        .unwrap();
    let day = at(5).date_naive();
    let used = KeyUse {
        key: row.id,
        day,
        used: 3,
        refused: 2,
    };
    store.record_uses(&[used]).await.unwrap();
    let gone = store.insert_key(&key(1, "gone"), u64::MAX).await.unwrap();
    store.delete_key(gone.id, at(2)).await.unwrap();
    let all = KeyQuery::all(Page::first(9));
    let before = store.list_keys(&all).await.unwrap();
    assert_eq!(
        before[0].key.last_login,
        Some(login),
        "K18 the login was stored"
    );
    let Some(store) = place.reopen(store).await else {
        return Outcome::Ignored("not durable");
    };
    assert_eq!(
        store.list_keys(&all).await.unwrap(),
        before,
        "K18 as they were"
    );
    let uses = store
        .key_uses(row.id, day, day.succ_opt().unwrap(), 9)
        .await;
    assert_eq!(uses.unwrap(), [used], "K18 uses");
    let found = store.key_by_lookup(gone.key.lookup).await.unwrap();
    assert_eq!(found, None, "K18 deleted for good");
    let next = store.insert_key(&key(1, "next"), u64::MAX).await.unwrap();
    assert!(next.id > gone.id, "K18 row numbers continue");
    Outcome::Held
}

/// When the store is opened again, a cache with a key from before must find its change, or that all
/// keys must be forgotten; no generation may be given twice.
pub async fn k33_changes_outlive_the_store(place: Home) -> Outcome {
    let store = place.fresh().await;
    let row = store.insert_key(&key(1, "a"), u64::MAX).await.unwrap();
    let lookup = row.key.lookup;
    let shard = KeyShard::of(lookup);
    let start = store.key_changes(shard, KeyGeneration(0)).await.unwrap();
    store.update_key(&row, at(1)).await.unwrap();
    let Some(store) = place.reopen(store).await else {
        return Outcome::Ignored("not durable");
    };
    let since = start.generation;
    let changes = store.key_changes(shard, since).await.unwrap();
    let is_named = match changes.changed {
        ChangedKeys::All => true,
        ChangedKeys::These(these) => these.contains(&lookup),
    };
    assert!(is_named, "K33 the edit is known, or all must be forgotten");
    let now = store.key_generation(shard);
    assert!(
        now.is_none_or(|now| now > since),
        "K33 {now:?} after {since:?}"
    );
    Outcome::Held
}
