//! Two faults at the same time, every two in both orders, in a process that accepts and delivers:
//! no accepted delivery is lost or settled twice, and the process continues by itself.
//!
//! On SQLite there is no server to restart; what cuts it off is another process that holds the
//! lock of its file.

mod fault;
mod server;
mod stage;

use gatepost_storage::webhooks::DeliveryState;
use tests::chaos::{Evidence, Invariant, Mode};

use self::fault::{Fault, Pair};
use self::server::Server;
use self::stage::{Backend, Stage};

const CHILD: &str = env!("CARGO_BIN_EXE_chaos_child");
/// The number of deliveries for each pair, or nothing was under way.
const ENOUGH: usize = 3;

/// Causes these pairs one after the other, and checks the results.
async fn survive(what: &str, backend: Backend, pairs: &[Pair]) {
    let began = tokio::time::Instant::now();
    let mut stage = Stage::new(backend, Mode::Steady).await;
    for pair in pairs {
        stage.bring(*pair).await;
    }
    let (took, longest, bites) = (began.elapsed(), stage.longest, stage.bites);
    let (evidence, backend) = stage.end().await;
    let ended = match &backend {
        Backend::Server(server) => server.ended,
        Backend::File { .. } => 0,
    };
    eprintln!(
        "{what}: {} pairs in {took:.1?}, healed after at most {longest:.1?}; {} accepted, {} deliveries, {} requests, {} repeats, {bites} writes refused, the server ended by itself {ended} times; empty after {:.1?}",
        pairs.len(),
        evidence.told.accepted.len(),
        evidence.deliveries.len(),
        evidence.seen.len(),
        evidence.repeats(),
        evidence.drained_in
    );
    let filled = pairs.iter().any(|pair| fault::has(*pair, Fault::DiskFull));
    assert!(bites > 0 || !filled, "{what}: the disk was never full");
    let accepted = evidence.told.accepted.len();
    assert!(accepted > ENOUGH * pairs.len(), "nothing was under way");
    expect_all_sent(&evidence);
    let verdict = evidence.judge();
    assert!(verdict.violations.is_empty(), "{what}: {verdict}");
    control_a_lost_request_is_found_out(evidence);
}

/// No fault lasts longer than the attempts of a delivery.
fn expect_all_sent(evidence: &Evidence) {
    for (delivery, attempts) in &evidence.deliveries {
        let sent = delivery.state == DeliveryState::Sent;
        assert!(sent, "not sent: {delivery:?} {attempts:?}");
    }
}

fn control_a_lost_request_is_found_out(mut evidence: Evidence) {
    let (delivery, _) = evidence.deliveries.last().unwrap();
    let id = delivery.message_id.as_str().to_owned();
    evidence.seen.retain(|seen| seen.id != id);
    let verdict = evidence.judge();
    assert!(verdict.violates(Invariant::StatesTellTheTruth), "{verdict}");
    assert!(
        verdict.violates(Invariant::LogAgreesWithReceiver),
        "{verdict}"
    );
}

/// Separates the pairs in which a clock is set: their send times are not checked.
fn by_clock(pairs: Vec<Pair>) -> (Vec<Pair>, Vec<Pair>) {
    let sets = |pair: &Pair| fault::has(*pair, Fault::ClockSet);
    pairs.into_iter().partition(sets)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_two_faults_lose_nothing_on_postgres() {
    let (clock, others) = by_clock(fault::all());
    assert_eq!((clock.len(), others.len()), (12, 30));
    let (some, more) = others.split_at(15);
    let queues = [clock, some.to_vec(), more.to_vec()].map(|pairs| {
        tokio::spawn(async move {
            let server = Server::start().await;
            survive("PostgreSQL", Backend::Server(Box::new(server)), &pairs).await;
        })
    });
    for queue in queues {
        queue.await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_two_faults_lose_nothing_on_sqlite() {
    let mut pairs = fault::all();
    pairs.retain(|pair| !fault::has(*pair, Fault::Restarted));
    let (clock, others) = by_clock(pairs);
    assert_eq!((clock.len(), others.len()), (10, 20));
    let queues = [clock, others]
        .map(|pairs| tokio::spawn(async move { survive("SQLite", Backend::file(), &pairs).await }));
    for queue in queues {
        queue.await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn control_early_acknowledgement_with_two_faults_is_detected() {
    let mut stage = Stage::new(Backend::file(), Mode::SteadyLie).await;
    stage.bring((Fault::DiskFull, Fault::Killed)).await;
    let (evidence, _backend) = stage.end().await;
    let verdict = evidence.judge();
    assert!(verdict.violates(Invariant::NothingIsLost), "{verdict}");
}
