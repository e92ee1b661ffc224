//! An open load of emits: they begin at fixed times, however long the earlier ones take.

use std::time::{Duration, Instant};

use benches::platform::occurrence;
use gatepost_engine::Engine;
use webhook_model::OwnerId;

/// Emits for this owner, `per_second` for `span`; returns the waits, sorted.
pub(crate) async fn open(
    engine: &Engine,
    owner: OwnerId,
    per_second: u64,
    span: Duration,
) -> Vec<Duration> {
    let mut pace = tokio::time::interval(Duration::from_micros(1_000_000 / per_second));
    pace.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Burst);
    let mut emits = tokio::task::JoinSet::new();
    let end = Instant::now() + span;
    while Instant::now() < end {
        let due = pace.tick().await.into_std();
        let engine = engine.clone();
        emits.spawn(async move {
            engine.emit(occurrence(owner)).await.unwrap();
            due.elapsed()
        });
    }
    let mut waits = Vec::new();
    while let Some(wait) = emits.join_next().await {
        waits.push(wait.unwrap());
    }
    waits.sort();
    waits
}

/// Prints the median and the p99 as measurements.
pub(crate) fn print(what: &str, waits: &[Duration]) {
    let at = |share: usize| waits[(waits.len() - 1) * share / 100].as_secs_f64() * 1e3;
    println!("figure {what} median, ms {}", at(50));
    println!("figure {what} p99, ms {}", at(99));
}
