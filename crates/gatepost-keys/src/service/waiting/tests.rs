use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use apikey_core::LastLogin;
use gatepost_storage::MemoryStore;
use gatepost_testkit::fault::FaultStore;
use metrics::{
    Counter, CounterFn, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit,
};

use super::*;

/// Adds up what is said to be lost.
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

fn login() -> Outcome {
    Outcome::LoggedIn(LastLogin {
        at: "2026-01-01T00:00:00Z".parse().unwrap(),
        from: "10.0.0.1".parse().unwrap(),
    })
}

fn of(sum: &Sum) -> u64 {
    sum.0.load(Ordering::Relaxed)
}

/// The worst customer: more keys within a beat than anything is kept for.
#[tokio::test]
async fn of_a_million_keys_within_a_beat_a_tenth_is_written_in_parts_and_the_rest_is_said_to_be_lost()
 {
    let (waiting, lost) = (Waiting::default(), Lost::default());
    metrics::with_local_recorder(&lost, || {
        for key in 0..1_000_000 {
            waiting.note(KeyId(key), login());
        }
        // A key that has its place counts on.
        waiting.note(KeyId(7), login());
    });
    assert_eq!((of(&lost.logins), of(&lost.uses)), (900_000, 900_000));
    assert_eq!(waiting.lock().keys.len(), MAX_WAITING);
    let store = FaultStore::new(Arc::new(MemoryStore::new()));
    waiting.flush(Notes::default(), &store).await;
    let calls = ["record_logins", "record_uses"].map(|method| store.calls_of(method));
    assert_eq!(calls, [100, 100]);
    waiting.flush(Notes::default(), &store).await;
    assert_eq!(store.calls(), 200, "nothing where nothing was noted");
}

#[test]
fn what_the_store_does_not_take_is_said_to_be_lost() {
    let (waiting, lost) = (Waiting::default(), Lost::default());
    for _ in 0..3 {
        waiting.note(KeyId(1), login());
    }
    let store = FaultStore::new(Arc::new(MemoryStore::new()));
    store.set_down(true);
    metrics::with_local_recorder(&lost, || {
        gatepost_testkit::block_on(waiting.flush(Notes::default(), &store));
    });
    assert_eq!((of(&lost.logins), of(&lost.uses)), (1, 3));
}
