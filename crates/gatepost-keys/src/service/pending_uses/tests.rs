use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use apikey_core::{KeyDraft, LastLogin, OwnerId, Peppers, Prefix};
use chrono::{DateTime, NaiveDate, Utc};
use gatepost_kv::MemoryStore;
use gatepost_storage::Revision;
use gatepost_storage::keys::{KeyRow, Rolled};
use gatepost_testkit::fault::{Fault, FaultStore, When};
use metrics::{
    Counter, CounterFn, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit,
};

use super::*;

/// The sum of the reported losses.
#[derive(Debug, Default)]
struct Lost {
    logins: Arc<Sum>,
    uses: Arc<Sum>,
}

#[derive(Debug, Default)]
struct Sum(AtomicU64);

impl CounterFn for Sum {
    fn increment(&self, by: u64) {
        self.0.fetch_add(by, Ordering::Relaxed);
    }

    fn absolute(&self, value: u64) {
        self.0.store(value, Ordering::Relaxed);
    }
}

impl Recorder for Lost {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        match key.name() {
            "gatepost_logins_dropped_total" => Counter::from_arc(self.logins.clone()),
            "gatepost_uses_dropped_total" => Counter::from_arc(self.uses.clone()),
            _ => Counter::noop(),
        }
    }

    fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::noop()
    }

    fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::noop()
    }
}

fn now() -> DateTime<Utc> {
    "2026-01-01T00:00:00Z".parse().unwrap()
}

fn login() -> Outcome {
    login_at(0)
}

fn login_at(second: i64) -> Outcome {
    Outcome::LoggedIn(LastLogin {
        at: now() + chrono::TimeDelta::seconds(second),
        from: "10.0.0.1".parse().unwrap(),
    })
}

fn row() -> KeyRow {
    let draft = KeyDraft::new(OwnerId(1), "k".parse().unwrap());
    let new = draft.issue(
        &Prefix::default(),
        &Peppers::none(),
        &mut rand::rng(),
        now(),
    );
    KeyRow {
        id: KeyId(1),
        revision: Revision::FIRST,
        key: new.unwrap().into_parts().0,
        rolled: Rolled::default(),
    }
}

fn entry(row: &KeyRow) -> Arc<Entry> {
    Arc::new(Entry::new(row, row.key.checker().unwrap(), None))
}

/// Returns the number of uses for each key.
fn used(notes: &Notes) -> Vec<(i64, u64)> {
    let uses = KeyUse::merged(&notes.uses);
    let mut used: Vec<_> = uses.iter().map(|day| (day.key.0, day.used)).collect();
    used.sort_unstable();
    used
}

fn of(sum: &Sum) -> u64 {
    sum.0.load(Ordering::Relaxed)
}

/// The worst case: more keys within an interval than are kept.
#[tokio::test]
async fn pending_uses_beyond_limit_are_reported_as_lost() {
    let (waiting, lost) = (Waiting::new(0), Lost::default());
    metrics::with_local_recorder(&lost, || {
        for key in 0..1_000_000 {
            waiting.note_cold(KeyId(key), login());
        }
        // A key with space continues to count.
        waiting.note_cold(KeyId(7), login());
    });
    assert_eq!((of(&lost.logins), of(&lost.uses)), (900_000, 900_000));
    assert_eq!(waiting.keys.load(Ordering::Relaxed), MAX_WAITING);
    let store = FaultStore::new(Arc::new(MemoryStore::new()));
    waiting.flush(&store).await;
    assert_eq!(store.calls_of("record_activity"), 100);
    waiting.flush(&store).await;
    assert_eq!(store.calls(), 100, "nothing where nothing was noted");
}

/// Keys are used all the time: each reader would find notes, and the last would wait for all.
#[tokio::test]
async fn concurrent_readers_wait_for_one_shared_write() {
    let (waiting, store) = (
        Arc::new(Waiting::new(0)),
        Arc::new(FaultStore::new(Arc::new(MemoryStore::new()))),
    );
    let (busy, gate) = (Arc::clone(&waiting), store.gate());
    store.decide(move |_| {
        busy.note_cold(KeyId(1), login());
        None
    });
    let read = || {
        let (waiting, store) = (Arc::clone(&waiting), Arc::clone(&store));
        tokio::spawn(async move { waiting.flush(&*store).await })
    };
    waiting.note_cold(KeyId(1), login());
    assert!(!waiting.is_written(), "it waits");
    gate.hold("record_activity", 1, When::Before);
    let mut readers = vec![read()];
    gate.arrived().await;
    assert!(!waiting.is_written(), "it is being written");
    readers.extend((0..10).map(|_| read()));
    tokio::task::yield_now().await;
    gate.open();
    for reader in readers {
        reader.await.unwrap();
    }
    assert_eq!(store.calls_of("record_activity"), 2);
}

#[tokio::test]
async fn failed_write_repeats_logins_only() {
    for (fault, used) in [(Fault::Refused, 0), (Fault::AnswerLost, 1)] {
        let store = FaultStore::new(Arc::new(MemoryStore::new()));
        let key = store.insert_key(&row().key, u64::MAX).await.unwrap().id;
        let waiting = Waiting::new(0);
        waiting.note_cold(key, login());
        store.fail("record_activity", 1, fault);
        waiting.flush(&store).await;
        assert_eq!(store.calls_of("record_activity"), 2);
        let stored = store.key(key).await.unwrap().unwrap();
        assert!(stored.key.last_login.is_some());
        let days = store.key_uses(key, NaiveDate::MIN, NaiveDate::MAX, 9).await;
        assert_eq!(days.unwrap().iter().map(|day| day.used).sum::<u64>(), used);
    }
}

#[test]
fn uses_refused_by_store_are_reported_as_lost() {
    let (waiting, lost) = (Waiting::new(0), Lost::default());
    for _ in 0..3 {
        waiting.note_cold(KeyId(1), login());
    }
    let store = FaultStore::new(Arc::new(MemoryStore::new()));
    store.set_down(true);
    metrics::with_local_recorder(&lost, || {
        gatepost_testkit::block_on(waiting.flush(&store));
    });
    assert_eq!((of(&lost.logins), of(&lost.uses)), (1, 3));
}

#[test]
fn uses_noted_by_several_threads_add_up() {
    let (waiting, key) = (Waiting::new(10), entry(&row()));
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (waiting, key) = (&waiting, &key);
            scope.spawn(move || {
                for second in 0..1_000 {
                    waiting.note(key, login_at(thread * 1_000 + second));
                }
            });
        }
        let mut taken = Notes::default();
        for _ in 0..100 {
            taken.append(waiting.take());
        }
        scope
            .spawn(|| waiting.note_cold(KeyId(2), login()))
            .join()
            .unwrap();
        while taken.uses.iter().map(|day| day.used).sum::<u64>() < 8_001 {
            taken.append(waiting.take());
            std::thread::yield_now();
        }
        assert_eq!(used(&taken), [(1, 8_000), (2, 1)]);
        let newest = taken.logins.iter().filter(|login| login.key == KeyId(1));
        let newest = newest.map(|login| login.login.at).max();
        assert_eq!(newest, Some(now() + chrono::TimeDelta::seconds(7_999)));
    });
    let left = waiting.take();
    assert!(left.uses.is_empty() && left.logins.is_empty());
    assert_eq!(waiting.keys.load(Ordering::Relaxed), 0);
}

/// Two threads that use one key write to different memory.
#[test]
fn first_thread_notes_in_entry_others_on_pages() {
    let (waiting, key) = (Waiting::new(10), entry(&row()));
    waiting.note(&key, login());
    let noted = key.noted();
    std::thread::scope(|scope| {
        // It would wait forever if it noted in the entry.
        scope.spawn(|| waiting.note(&key, login())).join().unwrap();
    });
    drop(noted);
    assert_eq!(used(&waiting.take()), [(1, 2)]);
    // After the notes are taken, any thread may be the next.
    std::thread::scope(|scope| {
        scope.spawn(|| waiting.note(&key, login())).join().unwrap();
    });
    assert!(!key.noted().is_empty());
}

/// An evicted entry is kept until its notes are written.
#[test]
fn evicted_keys_leave_a_bounded_number_of_notes() {
    let (waiting, lost) = (Waiting::new(10), Lost::default());
    let mut row = row();
    metrics::with_local_recorder(&lost, || {
        for _ in 0..MAX_WAITING + 100 {
            row.id.0 += 1;
            waiting.note(&entry(&row), login());
        }
    });
    assert_eq!((of(&lost.logins), of(&lost.uses)), (90, 90));
    let notes = waiting.take();
    assert_eq!((notes.logins.len(), notes.uses.len()), (100_010, 100_010));
}
