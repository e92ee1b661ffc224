//! One transaction that sees the database as it was 300,000 messages ago: the cycle, and a claim of
//! 64 of 1,000 that wait, against the same without it.

use chrono::TimeDelta;

use crate::backlog::Backlog;
use crate::cycle::Cycle;
use crate::report::{ratio, row};
use crate::stage::Stage;

const MESSAGES: i64 = 300_000;
/// The last of them, which are measured.
const LAST: i64 = 60_000;
/// The number of webhooks of the claimed deliveries.
const QUEUES: i64 = 100;

pub(crate) async fn measure(stage: &mut Stage) {
    let (mut rates, mut claims) = ([const { Vec::new() }; 2], [const { Vec::new() }; 2]);
    for _ in 0..stage.rounds(2) {
        for held in [false, true] {
            rates[usize::from(held)].push(cycles(stage, held).await);
            claims[usize::from(held)].push(claim(stage, held).await);
        }
    }
    let kind = stage.kind;
    row(
        kind,
        "cycles, no long transaction",
        &rates[0],
        "a second",
        "",
    );
    row(
        kind,
        "cycles beside a long transaction",
        &rates[1],
        "a second",
        "",
    );
    let what = "cycles beside a transaction open for 300,000 messages";
    ratio(kind, what, &rates[1], &rates[0], ">= 0.8 x");
    row(
        kind,
        "claim of 64, no long transaction",
        &claims[0],
        "ms",
        "",
    );
    row(
        kind,
        "claim of 64 beside a long transaction",
        &claims[1],
        "ms",
        "",
    );
    let what = "claim of 64 beside a transaction open for 300,000 messages";
    ratio(kind, what, &claims[1], &claims[0], "<= 2 x");
}

async fn cycles(stage: &mut Stage, held: bool) -> f64 {
    let store = stage.fresh().await;
    let mut cycle = Cycle::start(stage, "tenants", &store.place, 200).await;
    let (count, last) = (stage.scaled(MESSAGES), stage.scaled(LAST));
    cycle.run(stage, last / 10).await;
    let reader = store.bulk().await;
    if held {
        reader.hold().await;
    }
    cycle.run(stage, count - last).await;
    let rate = cycle.run(stage, last).await.rate;
    drop((cycle, reader));
    store.remove().await;
    rate
}

/// Returns the median, in milliseconds.
async fn claim(stage: &Stage, held: bool) -> f64 {
    let store = stage.fresh().await;
    store.hooks(1, QUEUES, false).await;
    let reader = store.bulk().await;
    if held {
        reader.hold().await;
    }
    let mut backlog = Backlog::open(&store).await;
    for _ in 0..stage.scaled(MESSAGES) / 1_000 {
        backlog.queue(1_000).await;
        backlog.drain(1_000).await;
    }
    backlog.queue(1_000).await;
    let mut waits = Vec::new();
    for _ in 0..100 {
        waits.push(backlog.claim_and_release(TimeDelta::zero()).await);
    }
    drop((backlog, reader));
    store.remove().await;
    benches::spread(waits).0
}
