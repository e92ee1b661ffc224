//! Request limits of keys, and keys that replace others.

use std::sync::Arc;

use apikey_core::{ApiKey, Expiration, KeyId, OwnerId, RateLimit};
use gatepost_storage::keys::{ChangedKeys, KeyGeneration, KeyQuery, KeyRow, KeyShard, Rolled};
use gatepost_storage::{ErrorKind, KeyStore, Page};

use super::grants::is_read_alike;
use crate::fixtures::{at, full_grant, key};

type Store = Arc<dyn KeyStore>;

/// A key's limit of requests must be stored as it is inserted, edited and removed, and every read
/// must return the same.
pub async fn k30_a_limit_of_requests_is_kept(store: Store) {
    let limit = |requests| Some(RateLimit::per_minute(requests).unwrap());
    let free = store.insert_key(&key(1, "free"), u64::MAX).await.unwrap();
    assert_eq!(free.key.limit, None, "K30 none");
    let mut limited = key(1, "limited");
    limited.limit = limit(60);
    let mut row = store.insert_key(&limited, u64::MAX).await.unwrap();
    assert_eq!(row.key.limit, limited.limit, "K30 inserted");
    is_read_alike(&store, &row).await;
    for edited in [limit(1), limit(1_000_000), None, limit(7)] {
        row.key.limit = edited;
        row = store.update_key(&row, at(1)).await.unwrap();
        assert_eq!(row.key.limit, edited, "K30 edited");
        is_read_alike(&store, &row).await;
    }
    let other = store.key(free.id).await.unwrap();
    assert_eq!(other, Some(free), "K30 another key");
}

/// A roll must store the new key, set the expiration of the old one, and link both. It must change
/// nothing else in the old key, whatever the call contains, and must change its generation; edits
/// must keep the links.
pub async fn k31_a_rolled_key_has_a_successor(store: Store) {
    let mut old = key(1, "a");
    (old.grant, old.enabled) = (full_grant(), false);
    let old = store.insert_key(&old, u64::MAX).await.unwrap();
    assert_eq!(old.rolled, Rolled::default(), "K31 not rolled");
    let shard = KeyShard::of(old.key.lookup);
    let before = store.key_generation(shard).unwrap_or(KeyGeneration(0));
    let asked = KeyRow {
        key: ApiKey {
            expiration: Expiration::At(at(90)),
            ..key(1, "misused")
        },
        ..old.clone()
    };
    let made = key(1, "a (2)");
    let (new, ended) = store.roll_key(&asked, &made, 2, at(1)).await.unwrap();
    assert_eq!(new.key, made, "K31 the new key");
    assert_ne!(new.id, old.id, "K31 its own number");
    let tie = |from: Option<KeyId>, to: Option<KeyId>| Rolled { from, to };
    assert_eq!(new.rolled, tie(Some(old.id), None), "K31 from");
    let expected = KeyRow {
        revision: old.revision.next(),
        key: ApiKey {
            expiration: Expiration::At(at(90)),
            ..old.key.clone()
        },
        rolled: tie(None, Some(new.id)),
        ..old.clone()
    };
    assert_eq!(ended, expected, "K31 the old key");
    for row in [&new, &ended] {
        is_read_alike(&store, row).await;
    }
    let changes = store.key_changes(shard, before).await.unwrap();
    let named = match &changes.changed {
        ChangedKeys::These(keys) => keys.contains(&old.key.lookup),
        ChangedKeys::All => true,
    };
    assert!(named && changes.generation > before, "K31 moved");
    let expiring = store.expiring_keys((at(0), KeyId(0)), at(99), 9).await;
    let expiring = expiring.unwrap();
    assert_eq!(expiring, std::slice::from_ref(&ended), "K31 it expires");

    let mut edit = new.clone();
    edit.rolled = Rolled::default();
    let edited = store.update_key(&edit, at(2)).await.unwrap();
    assert_eq!(edited.rolled, new.rolled, "K31 after an edit");
    let (third, _) = store
        .roll_key(&edited, &key(1, "a (3)"), u64::MAX, at(3))
        .await
        .unwrap();
    let middle = store.key(new.id).await.unwrap().unwrap();
    let ties = tie(Some(old.id), Some(third.id));
    assert_eq!(middle.rolled, ties, "K31 both ways");
    store.delete_key(third.id, at(4)).await.unwrap();
    let middle = store.key(new.id).await.unwrap().unwrap();
    assert_eq!(middle.rolled, ties, "K31 though it is deleted");
}

/// A roll must be refused and change nothing if it is stale, the key is missing or another owner's,
/// the name or lookup id is taken, or the owner would have one key too many.
pub async fn k32_a_roll_is_whole_or_nothing(store: Store) {
    let old = store.insert_key(&key(1, "a"), u64::MAX).await.unwrap();
    let other = store.insert_key(&key(1, "b"), u64::MAX).await.unwrap();
    let shard = KeyShard::of(old.key.lookup);
    let before = store.key_generation(shard);
    let all = async || {
        let all = store.list_keys(&KeyQuery::all(Page::first(9))).await;
        all.unwrap()
    };
    let rows = all().await;
    let stale = KeyRow {
        revision: old.revision.next(),
        ..old.clone()
    };
    let missing = KeyRow {
        id: KeyId(999),
        ..old.clone()
    };
    let twin = ApiKey {
        lookup: other.key.lookup,
        ..key(1, "c")
    };
    let stranger = ApiKey {
        owner: OwnerId(2),
        ..key(2, "c")
    };
    for (what, from, new, at_most, kind) in [
        ("stale", &stale, key(1, "c"), 9, ErrorKind::Stale),
        ("missing", &missing, key(1, "c"), 9, ErrorKind::NotFound),
        ("another owner", &old, stranger, 9, ErrorKind::NotFound),
        ("name", &old, key(1, "b"), 9, ErrorKind::Conflict),
        ("lookup id", &old, twin, 9, ErrorKind::Conflict),
        ("too many", &old, key(1, "c"), 2, ErrorKind::Full),
    ] {
        let mut from = from.clone();
        from.key.expiration = Expiration::At(at(90));
        let refused = store.roll_key(&from, &new, at_most, at(1)).await;
        assert_eq!(refused.unwrap_err().kind(), kind, "K32 {what}");
        assert_eq!(all().await, rows, "K32 {what}: nothing changed");
    }
    assert_eq!(store.key_generation(shard), before, "K32 nothing moved");
}
