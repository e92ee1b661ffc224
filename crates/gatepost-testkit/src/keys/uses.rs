//! Daily counts of key uses.

use std::sync::Arc;

use apikey_core::{KeyId, LastLogin, OwnerId};
use chrono::{Days, NaiveDate};
use gatepost_storage::KeyStore;
use gatepost_storage::keys::{KeyGeneration, KeyRow, KeyShard, KeyUse, Login};
use gatepost_storage::owners::Removal;

use crate::fixtures::{at, key};
use crate::runtime::racing;

type Store = Arc<dyn KeyStore>;

fn day(n: u64) -> NaiveDate {
    at(0).date_naive() + Days::new(n)
}

fn uses(row: &KeyRow, on: u64, used: u64, refused: u64) -> KeyUse {
    KeyUse {
        key: row.id,
        day: day(on),
        used,
        refused,
    }
}

/// Returns all counts of a key, the newest day first.
async fn all(store: &Store, key: KeyId) -> Vec<KeyUse> {
    let days = store.key_uses(key, day(0), day(9_999), 9_999).await;
    days.unwrap()
}

/// Uses of one key and day must be added up, also from concurrent calls. Days must be returned
/// newest first, those of the requested period, at most the limit.
pub async fn k24_uses_of_a_day_add_up(store: Store) {
    let row = store.insert_key(&key(1, "a"), u64::MAX).await.unwrap();
    let other = store.insert_key(&key(2, "a"), u64::MAX).await.unwrap();
    assert_eq!(all(&store, row.id).await, [], "K24 none");
    store.record_uses(&[]).await.unwrap();
    let first = [
        uses(&row, 2, 3, 0),
        uses(&row, 1, 1, 2),
        uses(&row, 2, 4, 1),
    ];
    store.record_uses(&first).await.unwrap();
    let racers = (0..8).map(|n| {
        let (store, mut both) = (
            store.clone(),
            vec![uses(&row, 3, 1, 1), uses(&other, 3, 2, 0)],
        );
        if n % 2 == 0 {
            both.reverse();
        }
        async move { store.record_uses(&both).await }
    });
    for racer in racing(racers).await {
        racer.unwrap();
    }
    let wanted = [
        uses(&row, 3, 8, 8),
        uses(&row, 2, 7, 1),
        uses(&row, 1, 1, 2),
    ];
    assert_eq!(all(&store, row.id).await, wanted, "K24 all");
    let of_other = [uses(&other, 3, 16, 0)];
    assert_eq!(all(&store, other.id).await, of_other, "K24 of another key");
    let span = store.key_uses(row.id, day(2), day(3), 9).await.unwrap();
    assert_eq!(
        span,
        wanted[1..2],
        "K24 from the first day, before the last"
    );
    let newest = store.key_uses(row.id, day(0), day(9), 2).await.unwrap();
    assert_eq!(newest, wanted[..2], "K24 limit");
    let none = store.key_uses(row.id, day(3), day(1), 9).await.unwrap();
    assert_eq!(none, [], "K24 backwards");
    let login = Login {
        key: other.id,
        login: LastLogin {
            at: at(20),
            from: [192, 0, 2, 20].into(),
        },
    };
    let used = [uses(&other, 4, 1, 0)];
    store.record_activity(&[login], &used).await.unwrap();
    let days = all(&store, other.id).await.len();
    let stored = store.key(other.id).await.unwrap().unwrap();
    let both = (days, stored.key.last_login);
    assert_eq!(both, (2, Some(login.login)), "K24 with a login");
}

/// A key that does not exist must have no uses: those of a deleted key, or of a deleted owner's
/// key, must be deleted, and none may be added later.
pub async fn k25_uses_go_with_their_key(store: Store) {
    let deleted = store.insert_key(&key(1, "a"), u64::MAX).await.unwrap();
    let removed = store.insert_key(&key(2, "a"), u64::MAX).await.unwrap();
    let stays = store.insert_key(&key(3, "a"), u64::MAX).await.unwrap();
    let rows = [&deleted, &removed, &stays];
    let each = rows.map(|row| uses(row, 1, 1, 0));
    store.record_uses(&each).await.unwrap();
    store.delete_key(deleted.id, at(1)).await.unwrap();
    store
        .mark_gone(Removal::Owner(OwnerId(2)), at(1))
        .await
        .unwrap();
    store.record_uses(&each).await.unwrap();
    assert_eq!(all(&store, deleted.id).await, [], "K25 deleted");
    assert_eq!(all(&store, removed.id).await, [], "K25 removed");
    let kept = [uses(&stays, 1, 2, 0)];
    assert_eq!(all(&store, stays.id).await, kept, "K25 another's");
    while store.remove_gone(1, at(2)).await.unwrap() > 0 {}
    assert_eq!(all(&store, removed.id).await, [], "K25 after the removal");
    assert_eq!(all(&store, stays.id).await, kept, "K25 another's stay");
}

/// The days of a key that lie 400 or more before its newest must be dropped; those of other keys
/// must stay.
pub async fn k26_the_oldest_uses_are_removed(store: Store) {
    let row = store.insert_key(&key(1, "a"), u64::MAX).await.unwrap();
    let idle = store.insert_key(&key(1, "b"), u64::MAX).await.unwrap();
    let old = [0, 1, 2].map(|n| uses(&row, n, 1, 0));
    store.record_uses(&old).await.unwrap();
    store.record_uses(&[uses(&idle, 0, 1, 0)]).await.unwrap();
    let late = 1 + KeyUse::DAYS;
    let named = [uses(&row, late, 1, 0), uses(&row, 1, 1, 0)];
    store.record_uses(&named).await.unwrap();
    let wanted = [uses(&row, late, 1, 0), uses(&row, 2, 1, 0)];
    assert_eq!(all(&store, row.id).await, wanted, "K26 dropped");
    assert_eq!(all(&store, idle.id).await.len(), 1, "K26 another key");
}

/// Uses must change neither the revision nor the generation.
pub async fn k27_a_use_is_no_edit(store: Store) {
    let row = store.insert_key(&key(1, "a"), u64::MAX).await.unwrap();
    let shard = KeyShard::of(row.key.lookup);
    let changes = async || {
        let changes = store.key_changes(shard, KeyGeneration(0)).await;
        changes.unwrap().generation
    };
    let before = changes().await;
    store.record_uses(&[uses(&row, 1, 1, 1)]).await.unwrap();
    let stored = store.key(row.id).await.unwrap();
    assert_eq!(stored, Some(row), "K27 the row");
    assert_eq!(changes().await, before, "K27 generation");
}
