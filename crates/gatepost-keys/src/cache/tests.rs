use std::sync::Arc;

use apikey_core::{
    ApiKey, Description, Expiration, Grant, IpPolicy, KeyDraft, KeyId, LastLogin, OwnerId, Peppers,
    Prefix, RevealOnce,
};
use gatepost_storage::keys::{KeyRow, KeySlice, Rolled};
use gatepost_storage::{KeyStore, MemoryStore, Revision};

use super::Cache;
use crate::judged::Circumstances;
use crate::noted::Outcome;

fn at(peppers: &Peppers) -> Circumstances<'_> {
    Circumstances {
        addr: "10.0.0.1".parse().unwrap(),
        now: "2026-01-01T00:00:00Z".parse().unwrap(),
        peppers,
    }
}

fn issue(owner: i64, name: &str) -> (ApiKey, RevealOnce) {
    let draft = KeyDraft {
        owner: OwnerId(owner),
        name: name.parse().unwrap(),
        description: Description::default(),
        expiration: Expiration::Never,
        ip: IpPolicy::default(),
        grant: Grant::all(),
        limit: None,
    };
    let (peppers, now) = (Peppers::none(), "2026-01-01T00:00:00Z".parse().unwrap());
    let new = draft.issue(&Prefix::default(), &peppers, &mut rand::rng(), now);
    new.unwrap().into_parts()
}

/// Rows that no store has.
fn row(id: i64, owner: i64) -> KeyRow {
    KeyRow {
        id: KeyId(id),
        revision: Revision::FIRST,
        key: issue(owner, "k").0,
        rolled: Rolled::default(),
    }
}

fn take(cache: &Cache, row: &KeyRow) {
    cache.insert(row, None, cache.epoch(row.key.lookup));
}

fn last_login(second: u32) -> LastLogin {
    LastLogin {
        at: format!("2026-01-01T00:00:{second:02}Z").parse().unwrap(),
        from: "10.0.0.1".parse().unwrap(),
    }
}

fn login(second: u32) -> Outcome {
    Outcome::LoggedIn(last_login(second))
}

fn held(cache: &Cache) -> usize {
    cache.slices.iter().map(|slice| slice.entries.len()).sum()
}

#[tokio::test]
async fn a_record_read_before_a_deletion_is_not_put_back_after_it() {
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
    cache.insert(&read, None, epoch);
    assert!(
        cache.judge(&presented, &at(&peppers)).is_none(),
        "the late fill was refused"
    );

    let epoch = cache.epoch(lookup);
    cache.insert(&read, None, epoch);
    assert!(
        cache
            .judge(&presented, &at(&peppers))
            .is_some_and(|judged| judged.outcome.is_ok()),
        "a fill in time is taken"
    );
}

#[test]
fn the_cache_stays_within_its_bounds() {
    let cache = Cache::new(512);
    for n in 0..3_000 {
        take(&cache, &row(n, n));
    }
    let held = held(&cache);
    assert!(held <= 512, "{held}");
    assert!(held > 400, "and is used: {held}");
}

#[test]
fn an_owner_has_at_most_a_hundredth_and_takes_nobodys_place_with_more() {
    let cache = Cache::new(25_600);
    let other = row(1, 1);
    take(&cache, &other);
    let mut greedy: Vec<KeyRow> = (0..3_000).map(|n| row(2 + n, 2)).collect();
    for row in &greedy {
        take(&cache, row);
    }
    assert_eq!(held(&cache), 256 + 1);
    assert!(cache.note(other.key.lookup, login(0)), "it is still there");
    // Its own entries make room for each other: the last key is there, or its slice had none.
    let last = greedy.pop().unwrap().key.lookup;
    let in_slice = cache.slice(last).entries.len();
    assert!(cache.note(last, login(0)) || in_slice <= 1, "{in_slice}");
    // What is forgotten counts no more.
    for row in &greedy {
        let lookup = row.key.lookup;
        cache.slice(lookup).entries.forget(lookup, &cache.owners);
    }
    let left = held(&cache);
    assert!(left <= 2, "{left}");
    for row in &greedy {
        take(&cache, row);
    }
    assert_eq!(held(&cache), 256 + 1);
}

#[test]
fn a_login_is_kept_when_its_entry_goes_and_told_once() {
    let cache = Cache::new(100);
    let (stays, goes) = (row(1, 1), row(2, 2));
    for row in [&stays, &goes] {
        take(&cache, row);
        for second in [1, 3, 2] {
            assert!(cache.note(row.key.lookup, login(second)));
        }
    }
    let lookup = goes.key.lookup;
    cache.slice(lookup).entries.clear(&cache.owners);
    let mut notes = cache.take_notes();
    notes.logins.sort_by_key(|login| login.key);
    let told: Vec<_> = notes
        .logins
        .iter()
        .map(|told| (told.key, told.login))
        .collect();
    let last = last_login(3);
    assert_eq!(told, [(KeyId(1), last), (KeyId(2), last)]);
    let uses: Vec<_> = notes
        .uses
        .iter()
        .map(|day| (day.used, day.refused))
        .collect();
    assert_eq!(uses, [(3, 0), (3, 0)]);
    let again = cache.take_notes();
    assert!(again.logins.is_empty() && again.uses.is_empty());
    assert!(!cache.note(lookup, login(4)), "it is gone");
}

#[test]
fn entries_that_go_faster_than_they_are_written_leave_a_bounded_number_of_notes() {
    let cache = Cache::new(100);
    let row = row(1, 1);
    let slice = &cache.slice(row.key.lookup).entries;
    for _ in 0..3_000 {
        take(&cache, &row);
        assert!(cache.note(row.key.lookup, login(0)));
        slice.forget(row.key.lookup, &cache.owners);
    }
    let notes = cache.take_notes();
    assert_eq!((notes.logins.len(), notes.uses.len()), (1_000, 1_000));
}

/// Who judges a key holds no lock that another who does would wait for.
#[test]
fn a_key_is_judged_while_another_reader_is_in_its_slice() {
    let cache = Cache::new(100);
    let (record, reveal) = issue(1, "k");
    let row = KeyRow {
        id: KeyId(1),
        revision: Revision::FIRST,
        key: record,
        rolled: Rolled::default(),
    };
    take(&cache, &row);
    let key = reveal.reveal();
    let entries = &cache.slice(row.key.lookup).entries;
    entries.while_read(|| {
        let presented = apikey_core::PresentedKey::parse(key.as_str()).unwrap();
        let judged = std::thread::scope(|scope| {
            let judge = || cache.judge(&presented, &at(&Peppers::none())).is_some();
            scope.spawn(judge).join().unwrap()
        });
        assert!(judged);
    });
}

#[test]
fn keys_are_spread_over_the_slices() {
    let mut counts = vec![0u32; KeySlice::COUNT];
    for n in 0..25_600 {
        counts[usize::from(KeySlice::of(row(n, 1).key.lookup).0)] += 1;
    }
    let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
    assert!(
        *least > 40 && *most < 180,
        "{least} to {most}, 100 expected"
    );
}
