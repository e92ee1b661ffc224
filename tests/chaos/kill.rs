//! A process that emits and delivers is killed again and again: no accepted delivery is lost, no
//! one-time task runs twice, and a receiver sees a delivery twice only if a claim was lost.

use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use tests::chaos::{Invariant, Mode, Place, Run, Verdict};

const CHILD: &str = env!("CARGO_BIN_EXE_chaos_child");
/// The number that must be accepted, or nothing was under way.
const ENOUGH: usize = 1000;

/// Returns the number of kills on each store; `GATEPOST_KILLS` for more.
fn kills() -> u64 {
    let wanted = std::env::var("GATEPOST_KILLS").ok();
    wanted.and_then(|n| n.parse().ok()).unwrap_or(60)
}

/// Kills processes at random moments, sometimes two that work together: this number of times, and,
/// on a machine with other work, until enough has happened, with a longer wait in each round.
/// Returns the number of kills, too.
async fn killed(
    place: Place,
    mode: Mode,
    kills: u64,
    enough: usize,
    seed: u64,
) -> (Run, u64, Duration) {
    let mut random = StdRng::seed_from_u64(seed);
    let mut run = Run::new(place, CHILD).await;
    let began = tokio::time::Instant::now();
    let mut number = 0;
    while number < kills || (number < 10 * kills && !is_enough(&run, enough)) {
        let life = Duration::from_millis(random.random_range(40..300));
        let round = u32::try_from(1 + number / kills).unwrap();
        number += 1;
        let second = random
            .random_bool(0.3)
            .then(|| run.child(mode, 10_000 + number));
        let child = run.child(mode, number);
        tokio::time::sleep(life * round).await;
        run.kill(child);
        if let Some(second) = second {
            tokio::time::sleep(Duration::from_millis(random.random_range(0..100))).await;
            run.kill(second);
        }
    }
    (run, number, began.elapsed())
}

fn is_enough(run: &Run, accepted: usize) -> bool {
    run.told.accepted.len() > accepted && (accepted == 0 || !run.told.ran.is_empty())
}

async fn judge(what: &str, place: Place) -> Verdict {
    let seed = rand::random();
    let (run, kills, took) = killed(place, Mode::Emit, kills(), ENOUGH, seed).await;
    let evidence = run.end().await;
    let lost_claims: u32 = evidence.deliveries.iter().map(|(d, _)| d.lost_claims).sum();
    eprintln!(
        "{what}: seed {seed}, {kills} kills in {took:?}, {} accepted, {} deliveries, {} requests, {} repeats, {lost_claims} lost claims, empty after {:?}",
        evidence.told.accepted.len(),
        evidence.deliveries.len(),
        evidence.seen.len(),
        evidence.repeats(),
        evidence.drained_in
    );
    assert!(
        evidence.told.accepted.len() > ENOUGH && evidence.repeats() > 0,
        "nothing was under way"
    );
    assert!(!evidence.told.ran.is_empty(), "no one-time task ran");
    evidence.judge()
}

#[tokio::test(flavor = "multi_thread")]
async fn kills_lose_nothing_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let verdict = judge("SQLite", Place::in_folder(&folder)).await;
    assert!(verdict.violations.is_empty(), "{verdict}");
    let connection = rusqlite::Connection::open(folder.path().join("gatepost.db")).unwrap();
    let answer: String = connection
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(answer, "ok");
}

#[tokio::test(flavor = "multi_thread")]
async fn kills_lose_nothing_on_postgres() {
    let verdict = judge("PostgreSQL", Place::fresh()).await;
    assert!(verdict.violations.is_empty(), "{verdict}");
}

#[tokio::test(flavor = "multi_thread")]
async fn control_acknowledgement_before_storing_is_detected() {
    let folder = tempfile::tempdir().unwrap();
    let (run, ..) = killed(Place::in_folder(&folder), Mode::Lie, 12, 0, 1).await;
    let verdict = run.end().await.judge();
    assert!(verdict.violates(Invariant::NothingIsLost), "{verdict}");
}
