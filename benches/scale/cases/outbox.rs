//! The outbox fanned out by 4 processes, against 1; rows of 16 realms, and of one. Each row makes
//! one delivery, which waits for a paused webhook.

use std::sync::Arc;
use std::time::{Duration, Instant};

use benches::platform::Platform;

use crate::emitter::owner;
use crate::engines::Engines;
use crate::report::{ratio, row};
use crate::stage::Stage;

const ROWS: i64 = 40_000;
const LEFT: &str =
    "SELECT count(*) FROM (SELECT 1 FROM gatepost_occurrence WHERE rejected IS NULL LIMIT 1) x";
const FIRST: &str = "SELECT coalesce(min(id), 0) FROM gatepost_occurrence";
/// The interval between checks for remaining rows.
const PAUSE: Duration = Duration::from_millis(20);

pub(crate) async fn measure(stage: &mut Stage) {
    let mut figures = [const { (Vec::new(), Vec::new()) }; 3];
    let cases = [(1, 16), (4, 16), (1, 1)];
    for _ in 0..stage.rounds(3) {
        for ((processes, places), (rate, cpu)) in cases.into_iter().zip(&mut figures) {
            let (a_second, micros) = drain(stage, processes, places).await;
            rate.push(a_second);
            cpu.push(micros);
        }
    }
    let kind = stage.kind;
    let goals = [">= 5,000", "", ">= 2,000"];
    for (n, (processes, places)) in cases.into_iter().enumerate() {
        let what = format!("outbox, {processes} processes, {places} places: rows");
        row(kind, &what, &figures[n].0, "a second", goals[n]);
        let what = format!("outbox, {processes} processes, {places} places: CPU a row");
        row(kind, &what, &figures[n].1, "µs", "");
    }
    let what = "outbox: CPU a row, 4 processes over 1";
    ratio(kind, what, &figures[1].1, &figures[0].1, "<= 1.1 x");
}

/// Returns rows per second, and CPU time of the processes and the server for each, in µs.
pub(super) async fn drain(stage: &Stage, processes: usize, places: i64) -> (f64, f64) {
    let store = stage.fresh().await;
    let platform = Arc::new(Platform::at(store.kind, &store.place).await);
    let owners = (1..=places).map(owner);
    platform
        .records_of_all(owners, "http://target.test/paused", 1)
        .await;
    drop(platform);
    let server = store.server().await;
    let used = |engines: &Engines| {
        engines.cpu()
            + server
                .as_ref()
                .map_or(Duration::ZERO, |server| server.cpu())
    };
    // Started before there are rows: the start costs no row anything.
    let engines = Engines::start(processes, store.kind, &store.place);
    tokio::time::sleep(Duration::from_secs(3)).await;
    let rows = stage.scaled(ROWS);
    let mut bulk = store.bulk().await;
    bulk.outbox(rows, places).await;
    let (before, first) = (used(&engines), bulk.count(FIRST).await);
    // The time begins when they have noticed: a manual insert notifies nobody.
    while bulk.count(FIRST).await == first {
        tokio::time::sleep(PAUSE).await;
    }
    let begun = Instant::now();
    while bulk.count(LEFT).await > 0 {
        tokio::time::sleep(PAUSE).await;
    }
    let took = begun.elapsed().as_secs_f64();
    let cpu = (used(&engines) - before).as_secs_f64() * 1e6;
    drop((bulk, engines, server));
    store.remove().await;
    (rows as f64 / took, cpu / rows as f64)
}
