//! Keys of a store to which an earlier state was restored.

use std::sync::Arc;

use gatepost_storage::KeyStore;
use gatepost_storage::keys::{ChangedKeys, KeyGeneration, KeyShard};
use gatepost_storage::owners::SkippedIds;

use crate::fixtures::{at, key};

/// After the caller reports that the store was restored, it must not give a row number, revision or
/// generation that may have been given since the backup, and every cache must forget all its keys.
/// The keys must stay.
pub async fn k34_a_restored_store_gives_no_number_twice(store: Arc<dyn KeyStore>) {
    let old = store.insert_key(&key(1, "a"), u64::MAX).await.unwrap();
    let old = store.update_key(&old, at(1)).await.unwrap();
    let shard = KeyShard::of(old.key.lookup);
    let before = store.key_changes(shard, KeyGeneration(0)).await.unwrap();
    let before = before.generation;
    store.restored(at(9)).await.unwrap();
    let found = store.key_by_lookup(old.key.lookup).await.unwrap().unwrap();
    assert_eq!((found.id, &found.key), (old.id, &old.key), "K34 it stays");
    let numbers = SkippedIds::of_records(at(9));
    let passed = |new: i64, old: i64| new >= numbers.beyond(old);
    assert!(passed(found.revision.0, old.revision.0), "K34 its revision");
    let new = store.insert_key(&key(1, "b"), u64::MAX).await.unwrap();
    assert!(passed(new.id.0, old.id.0), "K34 {:?} is near", new.id);
    for shard in [shard, KeyShard(shard.0.wrapping_add(1))] {
        // A generation of a lost change that other processes saw, and the last one of the backup.
        for since in [KeyGeneration(before.0 + 7), before] {
            let changes = store.key_changes(shard, since).await.unwrap();
            assert_eq!(changes.changed, ChangedKeys::All, "K34 {since:?}");
            assert!(passed(changes.generation.0, before.0), "K34 generation");
        }
        let now = store.key_generation(shard);
        assert!(now.is_none_or(|now| passed(now.0, before.0)), "K34 {now:?}");
    }
    let stale = store.update_key(&old, at(2)).await;
    assert!(stale.is_err(), "K34 an edit of what was read before");
    store.restored(at(9)).await.unwrap();
    let again = store.insert_key(&key(1, "c"), u64::MAX).await.unwrap();
    assert!(passed(again.id.0, new.id.0), "K34 again");
}
