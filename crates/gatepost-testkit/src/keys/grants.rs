//! Permissions of keys, and whether keys are accepted.

use std::sync::Arc;

use apikey_core::{Grant, ScopeNames, TableNames};
use gatepost_storage::keys::{KeyQuery, KeyRow};
use gatepost_storage::{KeyStore, Page};

use crate::fixtures::{at, full_grant, key};

type Store = Arc<dyn KeyStore>;

/// A key's grant and whether it is enabled must be stored part by part, as they are inserted and as
/// they are edited, and every read must return the same. A disabled key must be found and listed.
pub async fn k28_grants_of_a_key_are_kept(store: Store) {
    let whole = store.insert_key(&key(1, "whole"), u64::MAX).await.unwrap();
    assert!(whole.key.enabled && whole.key.grant.is_all(), "K28 all");
    let mut narrow = key(1, "narrow");
    (narrow.grant, narrow.enabled) = (full_grant(), false);
    let mut row = store.insert_key(&narrow, u64::MAX).await.unwrap();
    assert_eq!(row.key.grant, narrow.grant, "K28 inserted");
    assert!(!row.key.enabled, "K28 inserted as disabled");
    is_read_alike(&store, &row).await;
    let (tables, scopes) = (full_grant().tables().clone(), full_grant().scopes().clone());
    for (grant, enabled) in [
        (
            Grant::new(true, TableNames::none(), ScopeNames::none()),
            true,
        ),
        (Grant::new(false, tables, ScopeNames::none()), false),
        (Grant::new(false, TableNames::none(), scopes), true),
        (full_grant(), false),
        (Grant::all(), true),
    ] {
        (row.key.grant, row.key.enabled) = (grant.clone(), enabled);
        row = store.update_key(&row, at(1)).await.unwrap();
        assert_eq!(row.key.grant, grant, "K28 edited");
        assert_eq!(row.key.enabled, enabled, "K28 {enabled}");
        is_read_alike(&store, &row).await;
    }
    let other = store.key(whole.id).await.unwrap();
    assert_eq!(other, Some(whole), "K28 another key");
}

/// Checks a key by number, by lookup id, and in a list.
pub(super) async fn is_read_alike(store: &Store, row: &KeyRow) {
    let found = store.key(row.id).await.unwrap();
    assert_eq!(found.as_ref(), Some(row), "{} by number", row.key.name);
    let found = store.key_by_lookup(row.key.lookup).await.unwrap();
    assert_eq!(found.as_ref(), Some(row), "{} by lookup", row.key.name);
    let all = store.list_keys(&KeyQuery::all(Page::first(9))).await;
    assert!(all.unwrap().contains(row), "{} in the list", row.key.name);
}
