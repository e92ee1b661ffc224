//! Keys and their owners.

use std::collections::HashSet;
use std::sync::Arc;

use apikey_core::OwnerId;
use gatepost_ids::{Realm, TenantId};
use gatepost_storage::keys::{ChangedKeys, KeyGeneration, KeyQuery, KeyShard};
use gatepost_storage::owners::{OwnerFilter, Removal};
use gatepost_storage::{ErrorKind, KeyStore, Page, Scope};

use crate::fixtures::{at, key, tenant};
use crate::runtime::racing;

type Store = Arc<dyn KeyStore>;

/// An owner must be able to have exactly as many keys as each insert allows, also with concurrent
/// inserts; keys of other owners must not count.
pub async fn k19_no_more_keys_than_allowed(store: Store) {
    let none = store.insert_key(&key(1, "a"), 0).await.err();
    assert_eq!(
        none.map(|e| e.kind()),
        Some(ErrorKind::Full),
        "K19 none allowed"
    );
    let first = store.insert_key(&key(1, "a"), 2).await.unwrap();
    store.insert_key(&key(2, "a"), 1).await.unwrap();
    store.insert_key(&key(1, "b"), 2).await.unwrap();
    let full = store.insert_key(&key(1, "c"), 2).await.unwrap_err();
    let found = (full.kind(), full.context());
    assert_eq!(found, (ErrorKind::Full, "rows"), "K19 the third");
    assert_eq!(
        store.count_keys(OwnerId(1)).await.unwrap(),
        2,
        "K19 counted"
    );
    assert_eq!(store.count_keys(OwnerId(9)).await.unwrap(), 0, "K19 nobody");
    store.delete_key(first.id, at(1)).await.unwrap();
    let again = store.insert_key(&key(1, "c"), 2).await;
    assert!(again.is_ok(), "K19 free again");
    let racers = (0..16).map(|n| {
        let store = store.clone();
        let new = key(3, &format!("k{n}"));
        async move { store.insert_key(&new, 5).await.is_ok() }
    });
    let mut won = 0;
    for racer in racing(racers).await {
        won += u32::from(racer);
    }
    assert_eq!(won, 5, "K19 racers");
}

/// An edit and a deletion must change the generation of their key's shard and of no other, and must
/// be named in that shard only.
pub async fn k20_a_change_moves_only_its_own_shard(store: Store) {
    let mine = store.insert_key(&key(1, "mine"), u64::MAX).await.unwrap();
    let shard = KeyShard::of(mine.key.lookup);
    let mut other = store.insert_key(&key(2, "k"), u64::MAX).await.unwrap();
    let mut n = 0;
    while KeyShard::of(other.key.lookup) == shard {
        n += 1;
        let next = key(2, &format!("k{n}"));
        other = store.insert_key(&next, u64::MAX).await.unwrap();
    }
    let theirs = KeyShard::of(other.key.lookup);
    let since = store
        .key_changes(shard, KeyGeneration(0))
        .await
        .unwrap()
        .generation;
    let seen = store.key_generation(theirs);
    let mine = store.update_key(&mine, at(1)).await.unwrap();
    store.delete_key(mine.id, at(2)).await.unwrap();
    assert_eq!(store.key_generation(theirs), seen, "K20 another shard");
    let named = async |shard| match store.key_changes(shard, since).await.unwrap().changed {
        ChangedKeys::These(keys) => Some(keys.contains(&mine.key.lookup)),
        ChangedKeys::All => None,
    };
    assert_ne!(named(shard).await, Some(false), "K20 named in its shard");
    assert_ne!(named(theirs).await, Some(true), "K20 and in no other");
}

/// A list of an owner or a tenant must hold their keys and no others, also with a name, page by
/// page.
pub async fn k21_a_list_holds_the_keys_of_its_scope(store: Store) {
    let mut ids = Vec::new();
    for n in 0..12 {
        let new = key(n % 4 + 1, &format!("k{n}"));
        ids.push(store.insert_key(&new, u64::MAX).await.unwrap().id);
    }
    for (owner, to) in [(1, tenant(1)), (2, tenant(1)), (3, tenant(3))] {
        store.assign_realm(OwnerId(owner), to, at(0)).await.unwrap();
    }
    let scopes = [
        (Scope::All, vec![0, 1, 2, 3]),
        (Scope::Owner(OwnerId(3)), vec![2]),
        (Scope::Owner(OwnerId(9)), vec![]),
        (Scope::Tenant(TenantId(1)), vec![0, 1]),
        (Scope::Tenant(TenantId(3)), vec![2]),
        (Scope::Tenant(TenantId(9)), vec![]),
    ];
    for (scope, owners) in scopes {
        let wanted = (0..12).filter(|n| owners.contains(&(n % 4)));
        let wanted: Vec<_> = wanted.map(|n| ids[n]).collect();
        let mut page = Page::first(2);
        let mut found = Vec::new();
        loop {
            let query = KeyQuery {
                scope,
                name: None,
                page,
            };
            let rows = store.list_keys(&query).await.unwrap();
            let Some(last) = rows.last() else { break };
            page = page.beyond(last.id);
            found.extend(rows.iter().map(|row| row.id));
            assert!(found.len() <= 12, "K21 the walk ends");
        }
        assert_eq!(found, wanted, "K21 {scope:?}");
        let named = KeyQuery {
            scope,
            name: Some("k5".to_owned()),
            page: Page::newest(9),
        };
        let found = store.list_keys(&named).await.unwrap().len();
        assert_eq!(
            found,
            usize::from(owners.contains(&1)),
            "K21 named, {scope:?}"
        );
    }
}

/// The keys of a deleted owner must no longer be found, and the changes of their shards must say
/// so; an owner who comes back must have none.
pub async fn k22_a_removed_owner_has_no_keys(store: Store) {
    let mut mine = Vec::new();
    for n in 0..5 {
        let new = key(1, &format!("k{n}"));
        mine.push(store.insert_key(&new, u64::MAX).await.unwrap());
    }
    let other = store.insert_key(&key(2, "k0"), u64::MAX).await.unwrap();
    let before: Vec<_> = mine
        .iter()
        .map(|row| store.key_generation(KeyShard::of(row.key.lookup)))
        .collect();
    let first = KeyShard::of(mine[0].key.lookup);
    let since = store
        .key_changes(first, KeyGeneration(0))
        .await
        .unwrap()
        .generation;
    let gone = Removal::Owner(OwnerId(1));
    store.mark_gone(gone, at(1)).await.unwrap();
    for when in ["marked", "back", "removed"] {
        for (row, before) in mine.iter().zip(&before) {
            let shard = KeyShard::of(row.key.lookup);
            assert_eq!(store.key(row.id).await.unwrap(), None, "K22 {when}");
            let found = store.key_by_lookup(row.key.lookup).await.unwrap();
            assert_eq!(found, None, "K22 {when}: by lookup");
            let now = store.key_generation(shard);
            assert!(now.is_none() || now > *before, "K22 {when}: generation");
            let changes = store.key_changes(shard, since).await.unwrap().changed;
            let named = match changes {
                ChangedKeys::These(keys) => keys.contains(&row.key.lookup),
                ChangedKeys::All => true,
            };
            assert!(named, "K22 {when}: named");
            let edit = store.update_key(row, at(2)).await.err();
            assert_eq!(
                edit.map(|e| e.kind()),
                Some(ErrorKind::NotFound),
                "K22 {when}"
            );
        }
        assert_eq!(
            store.count_keys(OwnerId(1)).await.unwrap(),
            0,
            "K22 {when}: count"
        );
        let all = KeyQuery::all(Page::first(99));
        let all = store.list_keys(&all).await.unwrap();
        assert_eq!(
            all.as_slice(),
            std::slice::from_ref(&other),
            "K22 {when}: list"
        );
        if when == "marked" {
            store
                .assign_realm(OwnerId(1), tenant(1), at(2))
                .await
                .unwrap();
        } else {
            while store.remove_gone(3, at(3)).await.unwrap() == 3 {}
        }
    }
    let again = store.insert_key(&key(1, "k0"), 1).await;
    assert!(again.is_ok(), "K22 the name and the limit are free");
}

/// The store must find the owners who have a key but no row, and no others.
pub async fn k23_owners_of_keys_without_a_row_are_found(store: Store) {
    let last = store.insert_key(&key(5, "a"), u64::MAX).await.unwrap();
    for (owner, name) in [(3, "a"), (3, "b"), (4, "a")] {
        store.insert_key(&key(owner, name), u64::MAX).await.unwrap();
    }
    store
        .assign_realm(OwnerId(4), Realm::System, at(0))
        .await
        .unwrap();
    let unplaced = async |after| {
        let rows = store.list_owners(OwnerFilter::Unplaced, after, 9).await;
        let rows = rows.unwrap().into_iter();
        rows.map(|row| row.owner).collect::<Vec<_>>()
    };
    let found = unplaced(None).await;
    assert_eq!(found, [OwnerId(3), OwnerId(5)], "K23");
    let different: HashSet<_> = found.iter().collect();
    assert_eq!(different.len(), found.len(), "K23 each once");
    let next = unplaced(Some(OwnerId(3))).await;
    assert_eq!(next, [OwnerId(5)], "K23 a page");
    store.delete_key(last.id, at(1)).await.unwrap();
    let found = unplaced(None).await;
    assert_eq!(found, [OwnerId(3)], "K23 has none any more");
}
