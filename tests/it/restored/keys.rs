//! Keys that were deleted after the backup.

use gatepost_kv::MemoryStore;
use gatepost_storage::{Clock as _, SystemClock};
use gatepost_testkit::fixtures::{at, key};

use super::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deletion_list_removes_keys_restored_from_backup() {
    for place in Place::all() {
        let store = place.open().await;
        let keys = service(&store);
        let mut made = Vec::new();
        for n in 0..6 {
            made.push(make_key(&keys, &format!("k{n}")).await);
        }
        let backup = place.back_up(&store).await;
        let late = make_key(&keys, "made and deleted since").await;
        let mut list = Vec::new();
        for (row, _) in made.iter().take(3).chain([&late]) {
            keys.delete(&user(), row.id).await.unwrap();
            list.push(row.id);
        }
        keys.shutdown().await;
        store.close().await;
        place.put_back(&backup);

        let store = place.open().await;
        store.keys().restored(SystemClock.now()).await.unwrap();
        let keys = service(&store);
        for (row, header) in &made {
            let found = admitted(&keys, header).await;
            assert_eq!(found, Some(row.id), "the backup brings it back");
        }
        let mut deleted = 0;
        for bite in list.chunks(3) {
            let now = SystemClock.now();
            deleted += store.keys().delete_keys(bite, now).await.unwrap();
        }
        assert_eq!(deleted, 3, "what is not there is no error");
        for (n, (row, header)) in made.iter().enumerate() {
            let found = admitted(&keys, header).await;
            assert_eq!(found, (n >= 3).then_some(row.id), "{n}");
        }
        let again = store.keys().delete_keys(&list, SystemClock.now()).await;
        assert_eq!(again.unwrap(), 0);
        keys.shutdown().await;
        store.close().await;
    }
}

#[tokio::test]
async fn deletion_list_deletes_only_named_keys() {
    let store = MemoryStore::new();
    let one = store.insert_key(&key(1, "a"), u64::MAX).await.unwrap();
    let other = store.insert_key(&key(2, "a"), u64::MAX).await.unwrap();
    let list = [one.id, KeyId(one.id.0 + 100), one.id];
    assert_eq!(store.delete_keys(&list, at(1)).await.unwrap(), 1);
    assert_eq!(store.key(one.id).await.unwrap(), None);
    assert_eq!(store.key(other.id).await.unwrap(), Some(other));
}
