//! Expiring keys, and their times.

use std::sync::Arc;

use apikey_core::{Expiration, KeyId, OwnerId};
use gatepost_storage::KeyStore;
use gatepost_storage::keys::KeyRow;
use gatepost_storage::owners::Removal;

use crate::fixtures::{at, key};

/// Keys must be listed in the order in which they expire, page by page, by their present dates;
/// those that never expire, and those of deleted owners, must be left out.
pub async fn k29_keys_are_listed_as_they_expire(store: Arc<dyn KeyStore>) {
    let insert = async |owner, name: &str, expires: Option<i64>| {
        let mut new = key(owner, name);
        new.expiration = expires.map_or(Expiration::Never, |seconds| Expiration::At(at(seconds)));
        store.insert_key(&new, u64::MAX).await.unwrap()
    };
    let late = insert(1, "late", Some(300)).await;
    insert(1, "never", None).await;
    let twins = [
        insert(1, "a", Some(200)).await.id,
        insert(2, "a", Some(200)).await.id,
    ];
    let moved = insert(1, "moved", Some(50)).await;
    let deleted = insert(1, "deleted", Some(150)).await;
    insert(3, "gone", Some(150)).await;
    let edited = KeyRow {
        key: apikey_core::ApiKey {
            expiration: Expiration::At(at(250)),
            ..moved.key.clone()
        },
        ..moved.clone()
    };
    store.update_key(&edited, at(1)).await.unwrap();
    store.delete_key(deleted.id, at(1)).await.unwrap();
    let gone = Removal::Owner(OwnerId(3));
    store.mark_gone(gone, at(1)).await.unwrap();

    let mut after = (at(0), KeyId(0));
    let mut walked = Vec::new();
    for _ in 0..9 {
        let page = store.expiring_keys(after, at(300), 1).await.unwrap();
        let [row] = &*page else { break };
        let Expiration::At(expires) = row.key.expiration else {
            panic!("K29 one that never expires");
        };
        after = (expires, row.id);
        walked.push(row.id);
    }
    let wanted = [twins[0], twins[1], moved.id];
    assert_eq!(walked, wanted, "K29 in order, each once");
    let rest = store.expiring_keys(after, at(301), 9).await.unwrap();
    assert_eq!(rest, [late], "K29 from there, before that moment");
    let all = store.expiring_keys((at(0), KeyId(0)), at(999), 9).await;
    assert_eq!(all.unwrap().len(), 4, "K29 all");
}
