//! The contract tests of keys. Each takes an empty store.

use std::net::IpAddr;
use std::sync::Arc;

use apikey_core::{KeyId, LastLogin, OwnerId};
use chrono::TimeDelta;
use gatepost_storage::keys::{ChangedKeys, KeyGeneration, KeyQuery, KeyRow, KeyShard, Login};
use gatepost_storage::{ErrorKind, KeyStore, Page};

use crate::fixtures::{at, key};
use crate::runtime::racing;
use crate::secrecy::tells_nothing;

mod expiry;
mod grants;
mod kept;
mod owners;
mod restored;
mod rolls;
mod uses;

pub use expiry::*;
pub use grants::*;
pub use kept::*;
pub use owners::*;
pub use restored::*;
pub use rolls::*;
pub use uses::*;

type Store = Arc<dyn KeyStore>;

fn login(row: &KeyRow, seconds: i64) -> Login {
    let from = IpAddr::from([192, 0, 2, 1]);
    let login = LastLogin {
        at: at(seconds),
        from,
    };
    Login { key: row.id, login }
}

/// A stored key is found by its row number and by its lookup id, as it was stored.
pub async fn k01_a_key_is_found_by_number_and_lookup(store: Store) {
    let row = store.insert_key(&key(1, "a"), u64::MAX).await.unwrap();
    assert!(row.id.0 > 0, "K1 row numbers are positive");
    assert_eq!(
        store.key(row.id).await.unwrap().as_ref(),
        Some(&row),
        "K1 by number"
    );
    let found = store.key_by_lookup(row.key.lookup).await.unwrap();
    assert_eq!(found, Some(row), "K1 by lookup");
}

/// An owner must not have two keys of one name; another owner may use the same name.
pub async fn k02_an_owner_has_a_name_once(store: Store) {
    store.insert_key(&key(1, "a"), u64::MAX).await.unwrap();
    let again = store
        .insert_key(&key(1, "a"), u64::MAX)
        .await
        .map_err(|e| e.kind());
    assert_eq!(again.err(), Some(ErrorKind::Conflict), "K2 same owner");
    assert!(
        store.insert_key(&key(2, "a"), u64::MAX).await.is_ok(),
        "K2 other owner"
    );
}

/// A lookup id must be unique in the store.
pub async fn k03_a_lookup_id_exists_once(store: Store) {
    let row = store.insert_key(&key(1, "a"), u64::MAX).await.unwrap();
    let mut twin = key(2, "b");
    twin.lookup = row.key.lookup;
    let twin = store
        .insert_key(&twin, u64::MAX)
        .await
        .map_err(|e| e.kind());
    assert_eq!(twin.err(), Some(ErrorKind::Conflict), "K3");
}

/// If sixteen callers insert a key of one name concurrently, exactly one must succeed.
pub async fn k04_one_of_racing_inserts_wins(store: Store) {
    let racers = (0..16).map(|_| {
        let store = store.clone();
        async move { store.insert_key(&key(1, "a"), u64::MAX).await.is_ok() }
    });
    let mut won = 0;
    for racer in racing(racers).await {
        won += u32::from(racer);
    }
    assert_eq!(won, 1, "K4");
}

/// An edit with an old revision must be refused and must change nothing.
pub async fn k05_a_stale_edit_is_refused(store: Store) {
    let row = store.insert_key(&key(1, "a"), u64::MAX).await.unwrap();
    let first = store.update_key(&row, at(1)).await.unwrap();
    assert!(first.revision > row.revision, "K5 the revision moves");
    let stale = store.update_key(&row, at(2)).await.map_err(|e| e.kind());
    assert_eq!(stale.err(), Some(ErrorKind::Stale), "K5");
    assert_eq!(
        store.key(row.id).await.unwrap(),
        Some(first),
        "K5 nothing changed"
    );
}

/// An edit must change the name, but never owner, lookup id, masked form, creation time or last
/// login.
pub async fn k06_an_edit_keeps_the_identity_of_a_key(store: Store) {
    let row = store.insert_key(&key(1, "a"), u64::MAX).await.unwrap();
    let other = key(2, "b");
    let edited = KeyRow {
        key: other,
        ..row.clone()
    };
    let new = store.update_key(&edited, at(1)).await.unwrap();
    assert_eq!(new.key.name.as_str(), "b", "K6 the name changes");
    let kept = |r: &KeyRow| (r.key.owner, r.key.lookup, r.key.created, r.key.last_login);
    assert_eq!(kept(&new), kept(&row), "K6");
    assert_eq!(new.key.masked.as_str(), row.key.masked.as_str(), "K6 mask");
    assert_eq!(
        store.key(row.id).await.unwrap(),
        Some(new),
        "K6 returned as stored"
    );
}

/// A deleted key must not be found in any way, and cannot be deleted again.
pub async fn k07_a_deleted_key_is_not_found(store: Store) {
    let row = store.insert_key(&key(1, "a"), u64::MAX).await.unwrap();
    store.delete_key(row.id, at(1)).await.unwrap();
    assert_eq!(store.key(row.id).await.unwrap(), None, "K7 by number");
    assert_eq!(
        store.key_by_lookup(row.key.lookup).await.unwrap(),
        None,
        "K7 by lookup"
    );
    let all = store
        .list_keys(&KeyQuery::all(Page::first(9)))
        .await
        .unwrap();
    assert!(all.is_empty(), "K7 in the list");
    let again = store.delete_key(row.id, at(2)).await.map_err(|e| e.kind());
    assert_eq!(again, Err(ErrorKind::NotFound), "K7 again");
}

/// A row number must not be given again after a deletion.
pub async fn k08_a_row_number_is_given_once(store: Store) {
    let row = store.insert_key(&key(1, "a"), u64::MAX).await.unwrap();
    store.delete_key(row.id, at(1)).await.unwrap();
    let next = store.insert_key(&key(1, "a"), u64::MAX).await.unwrap();
    assert!(next.id > row.id, "K8");
}

/// An edit and a deletion must each change the generation, or leave it unknown.
pub async fn k09_edits_and_deletions_move_the_generation(store: Store) {
    let row = store.insert_key(&key(1, "a"), u64::MAX).await.unwrap();
    let shard = KeyShard::of(row.key.lookup);
    let start = store.key_generation(shard);
    store.update_key(&row, at(1)).await.unwrap();
    let edited = store.key_generation(shard);
    assert!(edited.is_none() || edited > start, "K9 edit");
    store.delete_key(row.id, at(2)).await.unwrap();
    let deleted = store.key_generation(shard);
    assert!(deleted.is_none() || deleted > edited, "K9 deletion");
}

/// The changes since a generation name what was edited; since one never seen, everything.
pub async fn k10_changes_name_the_changed_keys(store: Store) {
    let row = store.insert_key(&key(1, "a"), u64::MAX).await.unwrap();
    let shard = KeyShard::of(row.key.lookup);
    let since = store
        .key_changes(shard, KeyGeneration(0))
        .await
        .unwrap()
        .generation;
    store.update_key(&row, at(1)).await.unwrap();
    let changes = store.key_changes(shard, since).await.unwrap();
    assert!(changes.generation > since, "K10 the generation moves");
    let named = match changes.changed {
        ChangedKeys::These(keys) => keys.contains(&row.key.lookup),
        ChangedKeys::All => true,
    };
    assert!(named, "K10 named");
    let unseen = KeyGeneration(changes.generation.0 + 1000);
    let unseen = store.key_changes(shard, unseen).await.unwrap().changed;
    assert_eq!(unseen, ChangedKeys::All, "K10 never seen");
}

/// The newest login must win, regardless of the order in which logins are recorded.
pub async fn k11_the_newest_login_wins(store: Store) {
    let row = store.insert_key(&key(1, "a"), u64::MAX).await.unwrap();
    store.record_logins(&[login(&row, 20)]).await.unwrap();
    let gone = Login {
        key: KeyId(row.id.0 + 1),
        ..login(&row, 30)
    };
    store.record_logins(&[gone, login(&row, 10)]).await.unwrap();
    let stored = store.key(row.id).await.unwrap().unwrap();
    assert_eq!(stored.key.last_login, Some(login(&row, 20).login), "K11");
}

/// A walk in pages, while rows are inserted and deleted, must return each row that stays once and
/// in order.
pub async fn k12_a_walk_neither_skips_nor_repeats(store: Store) {
    let mut rows = Vec::new();
    for n in 0..6 {
        rows.push(
            store
                .insert_key(&key(1, &format!("k{n}")), u64::MAX)
                .await
                .unwrap()
                .id,
        );
    }
    let mut page = Page::first(2);
    let mut seen = Vec::new();
    for turn in 0..10 {
        let part = store.list_keys(&KeyQuery::all(page)).await.unwrap();
        let Some(last) = part.last() else { break };
        seen.extend(part.iter().map(|r| r.id));
        page = page.beyond(last.id);
        if turn == 0 {
            store.delete_key(rows[0], at(1)).await.unwrap();
            store.insert_key(&key(1, "new"), u64::MAX).await.unwrap();
        }
    }
    assert_eq!(seen.get(..6), Some(&rows[..]), "K12 all that stayed, once");
    assert_eq!(seen.len(), 7, "K12 and the new one at the end");
}

/// Times are kept to the microsecond.
pub async fn k13_times_are_kept_to_the_microsecond(store: Store) {
    let mut new = key(1, "a");
    new.created = at(0) + TimeDelta::nanoseconds(123_456_789);
    let row = store.insert_key(&new, u64::MAX).await.unwrap();
    let created = store.key(row.id).await.unwrap().unwrap().key.created;
    assert_eq!(created, at(0) + TimeDelta::microseconds(123_456), "K13");
    assert_eq!(row.key.created, created, "K13 returned as stored");
}

/// A recorded login must change neither the revision nor the generation.
pub async fn k14_a_login_is_no_edit(store: Store) {
    let row = store.insert_key(&key(1, "a"), u64::MAX).await.unwrap();
    let shard = KeyShard::of(row.key.lookup);
    let before = store
        .key_changes(shard, KeyGeneration(0))
        .await
        .unwrap()
        .generation;
    store.record_logins(&[login(&row, 20)]).await.unwrap();
    let stored = store.key(row.id).await.unwrap().unwrap();
    assert_eq!(stored.revision, row.revision, "K14 revision");
    let after = store
        .key_changes(shard, KeyGeneration(0))
        .await
        .unwrap()
        .generation;
    assert_eq!(after, before, "K14 generation");
}

/// A list must hold the keys of the requested owner and name, and no others.
pub async fn k15_lists_match_their_query(store: Store) {
    let mine = store.insert_key(&key(1, "a"), u64::MAX).await.unwrap();
    store.insert_key(&key(1, "b"), u64::MAX).await.unwrap();
    store.insert_key(&key(2, "a"), u64::MAX).await.unwrap();
    let of_owner = KeyQuery::of_owner(OwnerId(1), Page::first(9));
    assert_eq!(
        store.list_keys(&of_owner).await.unwrap().len(),
        2,
        "K15 owner"
    );
    let named = KeyQuery {
        name: Some("a".to_owned()),
        ..of_owner
    };
    assert_eq!(
        store.list_keys(&named).await.unwrap(),
        [mine],
        "K15 owner and name"
    );
}

/// An edit of a key that does not exist must create nothing.
pub async fn k16_an_edit_creates_nothing(store: Store) {
    let row = store.insert_key(&key(1, "a"), u64::MAX).await.unwrap();
    store.delete_key(row.id, at(1)).await.unwrap();
    let edit = store.update_key(&row, at(2)).await.map_err(|e| e.kind());
    assert_eq!(edit.err(), Some(ErrorKind::NotFound), "K16");
    assert_eq!(store.key(row.id).await.unwrap(), None, "K16 nothing there");
}

/// An error must not reveal the digest of a key.
pub async fn k17_an_error_reveals_no_digest(store: Store) {
    let row = store.insert_key(&key(1, "a"), u64::MAX).await.unwrap();
    let twin = store.insert_key(&row.key, u64::MAX).await.err();
    store.update_key(&row, at(1)).await.unwrap();
    let stale = store.update_key(&row, at(2)).await.err();
    store.delete_key(row.id, at(3)).await.unwrap();
    let missing = store.update_key(&row, at(4)).await.err();
    for error in [twin, stale, missing] {
        let error = error.expect("K17 refused");
        tells_nothing("K17", &error, &[row.key.digest.bytes.to_vec()]);
    }
}
