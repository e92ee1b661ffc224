//! Several worker processes on one store: each delivery is claimed once per lease, and a worker
//! that was frozen past its lease changes nothing.

use std::process::Command;
use std::time::Duration;

use gatepost_storage::webhooks::{
    DeliveryId, DeliveryQuery, DeliveryState, NewDelivery, WebhookQuery,
};
use gatepost_storage::{Page, Scope};
use gatepost_testkit::fixtures::direct;
use tests::chaos::{Child, Evidence, Mode, Place, Run};

const CHILD: &str = env!("CARGO_BIN_EXE_chaos_child");

/// Stores this number of deliveries for the run's webhook and counts them as accepted.
async fn enqueue(run: &mut Run, count: i64) {
    let store = run.place.open().await;
    let query = WebhookQuery {
        scope: Scope::All,
        name: None,
        page: Page::first(1),
    };
    let hook = store.list_webhooks(&query).await.unwrap()[0].id;
    let now = tests::chaos::now();
    let numbers: Vec<i64> = (0..count).collect();
    for part in numbers.chunks(500) {
        let deliveries = part.iter().map(|n| NewDelivery {
            message_id: format!("m{n}").parse().unwrap(),
            webhook: hook,
            task: None,
            cause: None,
            body: format!(r#"{{"n":"{n}"}}"#).into(),
            due: now,
            lease_until: None,
        });
        let batch = direct(deliveries.collect());
        store.enqueue(batch, now).await.unwrap();
    }
    run.told.accepted.extend(numbers);
}

async fn shared(place: Place, workers: u64) -> Evidence {
    let mut run = Run::new(place, CHILD).await;
    enqueue(&mut run, 10_000).await;
    let children: Vec<Child> = (0..workers).map(|n| run.child(Mode::Work, n)).collect();
    let mut evidence = run.end().await;
    drop(children);
    // That time includes all of the work, not only the rest after some trouble.
    eprintln!(
        "{} workers and one: empty after {:?}",
        workers, evidence.drained_in
    );
    evidence.drain_bound = Duration::from_secs(60);
    evidence.at_once_bound = 32 * (usize::try_from(workers).unwrap() + 1);
    evidence
}

fn expect_each_once(evidence: &Evidence) {
    let verdict = evidence.judge();
    assert!(verdict.violations.is_empty(), "{verdict}");
    let lost: u32 = evidence.deliveries.iter().map(|(d, _)| d.lost_claims).sum();
    assert_eq!(lost, 0, "nobody died, so no claim was lost");
    let attempts: usize = evidence
        .deliveries
        .iter()
        .map(|(_, attempts)| attempts.len())
        .sum();
    // A request whose reused connection is reset is sent once more in the same attempt.
    let arrived = evidence.seen.iter().filter(|seen| !seen.repeated);
    assert_eq!(
        arrived.count(),
        attempts,
        "each claim is one request and one attempt"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn two_workers_share_ten_thousand_deliveries_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    expect_each_once(&shared(Place::in_folder(&folder), 1).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn four_workers_share_ten_thousand_deliveries_on_postgres() {
    expect_each_once(&shared(Place::fresh(), 3).await);
}

fn signal(child: &Child, name: &str) {
    let pid = child.process.id().to_string();
    let sent = Command::new("kill").args([name, &pid]).status().unwrap();
    assert!(sent.success());
}

/// Freezes it at a moment when it has claimed deliveries and does not write: a process that sleeps
/// inside a transaction keeps SQLite's one write lock, so that nobody could take its deliveries
/// over. Returns its claims.
async fn freeze(child: &Child, place: &Place) -> Vec<DeliveryId> {
    let store = place.open().await;
    let claimed = DeliveryQuery {
        states: vec![DeliveryState::Running],
        ..DeliveryQuery::all(Page::first(100))
    };
    for _ in 0..2_000 {
        signal(child, "-STOP");
        let running = store.list_deliveries(&claimed).await.unwrap();
        if place.writable() && !running.is_empty() {
            return running.iter().map(|delivery| delivery.id).collect();
        }
        signal(child, "-CONT");
        tokio::time::sleep(Duration::from_millis(7)).await;
    }
    panic!("it is always writing, or never has a claim");
}

/// Freezes a worker in the middle of its work; it wakes up when its leases have ended, and
/// continues.
async fn frozen(place: Place) {
    let mut run = Run::new(place, CHILD).await;
    let frozen = run.child(Mode::Emit, 1);
    tokio::time::sleep(Duration::from_millis(700)).await;
    let held = freeze(&frozen, &run.place).await;
    let other = run.child(Mode::Emit, 2);
    // Longer than a lease of the child.
    tokio::time::sleep(Duration::from_secs(13)).await;
    signal(&frozen, "-CONT");
    tokio::time::sleep(Duration::from_millis(700)).await;
    run.kill(frozen);
    run.kill(other);
    let evidence = run.end().await;
    let lost: Vec<_> = evidence
        .deliveries
        .iter()
        .filter(|(d, _)| held.contains(&d.id))
        .collect();
    assert!(!lost.is_empty(), "nothing was under way when it froze");
    let verdict = evidence.judge();
    assert!(verdict.violations.is_empty(), "{verdict}");
    // The requests that the frozen worker had sent and wanted to record were recorded by the next
    // worker, and once.
    for (delivery, attempts) in lost {
        let numbers: Vec<u32> = attempts.iter().map(|a| a.number).collect();
        let counted: Vec<u32> = (1..=delivery.attempts).collect();
        assert_eq!(numbers, counted, "{}", delivery.message_id);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn worker_frozen_past_lease_changes_nothing_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    frozen(Place::in_folder(&folder)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn worker_frozen_past_lease_changes_nothing_on_postgres() {
    frozen(Place::fresh()).await;
}
