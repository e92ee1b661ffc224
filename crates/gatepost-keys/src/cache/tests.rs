use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use apikey_core::{ApiKey, KeyDraft, KeyId, OwnerId, Peppers, Prefix, RevealOnce};
use gatepost_kv::MemoryStore;
use gatepost_storage::keys::{KeyRow, KeyShard, Rolled};
use gatepost_storage::{KeyStore, Revision};
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

use super::Cache;
use crate::cached_key::Entry;
use crate::request_context::Circumstances;

fn at(peppers: &Peppers) -> Circumstances<'_> {
    Circumstances {
        addr: "10.0.0.1".parse().unwrap(),
        now: "2026-01-01T00:00:00Z".parse().unwrap(),
        peppers,
    }
}

fn issue(owner: u128, name: &str) -> (ApiKey, RevealOnce) {
    let draft = KeyDraft::new(OwnerId(owner), name.parse().unwrap());
    let (peppers, now) = (Peppers::none(), "2026-01-01T00:00:00Z".parse().unwrap());
    let new = draft.issue(&Prefix::default(), &peppers, &mut rand::rng(), now);
    new.unwrap().into_parts()
}

/// Creates rows that no store has.
fn row(id: i64, owner: u128) -> KeyRow {
    KeyRow {
        id: KeyId(id),
        revision: Revision::FIRST,
        key: issue(owner, "k").0,
        rolled: Rolled::default(),
    }
}

fn entry(row: &KeyRow) -> Arc<Entry> {
    Arc::new(Entry::new(row, row.key.checker().unwrap(), None))
}

fn take(cache: &Cache, row: &KeyRow) {
    cache.insert(entry(row), cache.epoch(row.key.lookup));
}

fn has(cache: &Cache, row: &KeyRow) -> bool {
    cache.get(row.key.lookup).is_some()
}

fn held(cache: &Cache) -> usize {
    cache.shards.iter().map(|shard| shard.entries.len()).sum()
}

#[tokio::test]
async fn record_read_before_deletion_is_not_cached_afterwards() {
    let store: Arc<dyn KeyStore> = Arc::new(MemoryStore::new());
    let cache = Cache::new(100);
    let peppers = Peppers::none();
    let (record, reveal) = issue(1, "k");
    let key = reveal.reveal();
    let row = store.insert_key(&record, u64::MAX).await.unwrap();
    let presented = apikey_core::PresentedKey::parse(key.as_str()).unwrap();
    let lookup = record.lookup;

    assert!(cache.sync(lookup, store.as_ref()).await.unwrap());
    let epoch = cache.epoch(lookup);
    let read = store.key_by_lookup(lookup).await.unwrap().unwrap();
    let now = "2026-01-01T00:00:00Z".parse().unwrap();
    store.delete_key(row.id, now).await.unwrap();
    assert!(!cache.is_current(lookup, store.as_ref()));
    cache.sync(lookup, store.as_ref()).await.unwrap();
    cache.insert(entry(&read), epoch);
    assert!(!has(&cache, &read), "the late fill was refused");

    let epoch = cache.epoch(lookup);
    cache.insert(entry(&read), epoch);
    let held = cache.get(lookup);
    let held = held.as_ref().expect("a fill in time is taken");
    assert!(held.judge(&presented, &at(&peppers)).is_ok());
}

#[test]
fn the_cache_stays_within_its_bounds() {
    let cache = Cache::new(512);
    for n in 0..3_000_u32 {
        take(&cache, &row(n.into(), n.into()));
    }
    let held = held(&cache);
    assert!(held <= 512, "{held}");
    assert!(held > 400, "and is used: {held}");
}

#[test]
fn owner_holds_at_most_one_hundredth_of_cache() {
    let cache = Cache::new(25_600);
    let other = row(1, 1);
    take(&cache, &other);
    let mut greedy: Vec<KeyRow> = (0..3_000).map(|n| row(2 + n, 2)).collect();
    for row in &greedy {
        take(&cache, row);
    }
    assert_eq!(held(&cache), 256 + 1);
    assert!(has(&cache, &other), "it is still there");
    // The entries of one owner evict each other: the last key is cached, or its shard had no slot.
    let last = greedy.pop().unwrap();
    let in_slice = cache.shard(last.key.lookup).entries.len();
    assert!(has(&cache, &last) || in_slice <= 1, "{in_slice}");
    // Removed entries no longer count.
    for row in &greedy {
        let lookup = row.key.lookup;
        cache.shard(lookup).entries.forget(lookup, &cache.owners);
    }
    let left = held(&cache);
    assert!(left <= 2, "{left}");
    for row in &greedy {
        take(&cache, row);
    }
    assert_eq!(held(&cache), 256 + 1);
}

/// Using a key never waits for the use or change of another.
#[test]
fn key_is_found_while_its_shard_changes() {
    let cache = Cache::new(100);
    let row = row(1, 1);
    take(&cache, &row);
    cache.shard(row.key.lookup).entries.while_changed(|| {
        std::thread::scope(|scope| {
            assert!(scope.spawn(|| has(&cache, &row)).join().unwrap());
        });
    });
}

/// An entry in use stays complete for its user; new lookups do not find it.
#[test]
fn removed_entry_stays_usable_but_is_not_found() {
    let cache = Cache::new(100);
    let row = row(7, 1);
    take(&cache, &row);
    let held = cache.get(row.key.lookup);
    let shard = &cache.shard(row.key.lookup).entries;
    shard.forget(row.key.lookup, &cache.owners);
    assert!(!has(&cache, &row));
    assert_eq!(held.as_ref().map(|entry| entry.key), Some(KeyId(7)));
}

/// After any order of inserts and removals, a lookup finds exactly its entry, although removals
/// move other entries.
#[test]
fn entries_are_found_whatever_came_and_went_before() {
    let cache = Cache::new(16 * KeyShard::COUNT);
    let shard = &cache.shards[0].entries;
    let rows: Vec<KeyRow> = (0..40_u32).map(|n| row(n.into(), n.into())).collect();
    let mut kept: Vec<usize> = Vec::new();
    let mut random = StdRng::seed_from_u64(17);
    for _ in 0..20_000 {
        let n = random.random_range(0..rows.len());
        let lookup = rows[n].key.lookup;
        if let Some(at) = kept.iter().position(|kept| *kept == n) {
            shard.forget(lookup, &cache.owners);
            kept.swap_remove(at);
        } else if kept.len() < 16 {
            shard.insert(entry(&rows[n]), || true, &cache.owners);
            kept.push(n);
        }
        for (n, row) in rows.iter().enumerate() {
            assert_eq!(shard.get(row.key.lookup).is_some(), kept.contains(&n));
        }
        assert_eq!(shard.len(), kept.len());
    }
}

/// Readers run while a writer moves entries: none finds another entry, or one removed before the
/// lookup.
#[test]
fn concurrent_lookup_finds_its_entry_or_none() {
    let cache = Cache::new(8 * KeyShard::COUNT);
    let shard = &cache.shards[0].entries;
    let rows: Vec<KeyRow> = (0..8_u32).map(|n| row(n.into(), n.into())).collect();
    let stays = &rows[0];
    shard.insert(entry(stays), || true, &cache.owners);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut random = StdRng::seed_from_u64(5);
            for _ in 0..20_000 {
                let row = &rows[random.random_range(1..rows.len())];
                shard.insert(entry(row), || true, &cache.owners);
                let gone = &rows[random.random_range(1..rows.len())];
                shard.forget(gone.key.lookup, &cache.owners);
                assert!(shard.get(gone.key.lookup).is_none());
            }
            done.store(true, Ordering::Release);
        });
        while !done.load(Ordering::Acquire) {
            for row in &rows {
                let held = shard.get(row.key.lookup);
                assert!(held.as_ref().is_none_or(|entry| entry.key == row.id));
            }
        }
    });
    assert!(shard.get(stays.key.lookup).is_some());
}

#[test]
fn keys_are_spread_over_the_shards() {
    let mut counts = vec![0u32; KeyShard::COUNT];
    for n in 0..25_600 {
        counts[usize::from(KeyShard::of(row(n, 1).key.lookup).0)] += 1;
    }
    let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
    assert!(
        *least > 40 && *most < 180,
        "{least} to {most}, 100 expected"
    );
}
