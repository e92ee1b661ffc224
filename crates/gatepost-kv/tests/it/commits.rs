//! Commands that wait at the same time share a commit, even one that is repeated.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex};

use gatepost_kv::{Kv, KvError, KvStore, MemoryKv, Reading, Table, Writing};
use gatepost_storage::webhooks::RecordStore as _;
use gatepost_testkit::fixtures::{UNLIMITED, at, webhook};
use tokio::task::{JoinSet, yield_now};

/// A store that counts its changes, blocks them while it is shut, and reports conflicts or panics
/// on request.
#[derive(Default)]
struct Told {
    inner: MemoryKv,
    is_shut: Mutex<bool>,
    opened: Condvar,
    begun: AtomicU32,
    conflicts: Mutex<VecDeque<bool>>,
    panics: AtomicBool,
}

struct Held(Arc<Told>);

impl Kv for Held {
    fn prepare(&self, tables: &[Table]) -> Result<(), KvError> {
        self.0.inner.prepare(tables)
    }

    fn view(&self, f: &mut Reading<'_>) -> Result<(), KvError> {
        self.0.inner.view(f)
    }

    fn change(&self, f: &mut Writing<'_>) -> Result<(), KvError> {
        self.0.begun.fetch_add(1, Ordering::SeqCst);
        assert!(!self.0.panics.swap(false, Ordering::SeqCst), "on request");
        let shut = self.0.is_shut.lock().unwrap();
        drop(self.0.opened.wait_while(shut, |shut| *shut).unwrap());
        let conflicts = self.0.conflicts.lock().unwrap().pop_front();
        match conflicts {
            Some(true) => Err(KvError::Conflict),
            _ => self.0.inner.change(f),
        }
    }
}

/// Returns how many changes five commands need that arrived together, after this number of
/// conflicts.
async fn changes_after(conflicts: usize) -> u32 {
    let kv = Arc::new(Told::default());
    let store = Arc::new(KvStore::open(Held(kv.clone())).unwrap());
    let before = kv.begun.load(Ordering::SeqCst);
    *kv.is_shut.lock().unwrap() = true;
    let mut calls = JoinSet::new();
    let mut insert = |name: &str| {
        let (store, webhook) = (store.clone(), webhook(name));
        calls.spawn(async move { store.insert_webhook(&webhook, UNLIMITED, at(0)).await });
    };
    // A single command, behind which the others gather.
    insert("first");
    while kv.begun.load(Ordering::SeqCst) == before {
        yield_now().await;
    }
    ["a", "b", "c", "d", "e"].into_iter().for_each(insert);
    for _ in 0..100 {
        yield_now().await;
    }
    let told = std::iter::once(false).chain(vec![true; conflicts]);
    kv.conflicts.lock().unwrap().extend(told);
    *kv.is_shut.lock().unwrap() = false;
    kv.opened.notify_all();
    assert!(calls.join_all().await.iter().all(Result::is_ok));
    kv.begun.load(Ordering::SeqCst) - before - 1
}

#[tokio::test]
async fn commands_that_conflict_once_share_the_next_commit() {
    assert_eq!(changes_after(0).await, 1);
    assert_eq!(changes_after(1).await, 2);
}

#[tokio::test]
async fn commands_conflicting_twice_are_committed_individually() {
    assert_eq!(changes_after(2).await, 2 + 5);
}

#[tokio::test]
async fn panicking_database_loses_one_commit_only() {
    let kv = Arc::new(Told::default());
    let store = KvStore::open(Held(kv.clone())).unwrap();
    let [a, b, c] = ["a", "b", "c"].map(webhook);
    let first = store.insert_webhook(&a, UNLIMITED, at(0)).await.unwrap();
    kv.panics.store(true, Ordering::SeqCst);
    assert!(store.insert_webhook(&b, UNLIMITED, at(0)).await.is_err());
    let next = store.insert_webhook(&c, UNLIMITED, at(0)).await.unwrap();
    assert_ne!(next.id, first.id);
}
