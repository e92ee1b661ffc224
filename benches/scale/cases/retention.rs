//! Emits while 5,000,000 old rows are removed, against emits without that; and the longest
//! statement of PostgreSQL in that time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use benches::platform::{Kind, Platform, now, occurrence};
use chrono::TimeDelta;
use gatepost_engine::Engine;

use crate::emitter::{EMITTED, owner};
use crate::report::{at, ratio, row};
use crate::stage::Stage;

const ROWS: i64 = 5_000_000;
/// The number of emits per second.
const PACE: u64 = 300;
/// An age beyond the default retention, which is 70 days.
const AGE: TimeDelta = TimeDelta::days(80);
/// A run contains at least one round of retention, which is once a minute.
const SPAN: Duration = Duration::from_secs(100);

pub(crate) async fn measure(stage: &mut Stage) {
    let (mut with, mut without, mut left) = (Vec::new(), Vec::new(), Vec::new());
    let (mut longest, mut commits) = (Vec::new(), Vec::new());
    for _ in 0..stage.rounds(1) {
        without.push(load(stage, false).await.0);
        let (p99, rows, statement) = load(stage, true).await;
        with.push(p99);
        left.push(rows);
        longest.push(statement[0]);
        commits.push(statement[1]);
    }
    let kind = stage.kind;
    row(kind, "emits beside nothing, p99", &without, "ms", "");
    row(
        kind,
        "emits while 5,000,000 old rows leave, p99",
        &with,
        "ms",
        "",
    );
    ratio(
        kind,
        "emits while 5,000,000 old rows leave, p99",
        &with,
        &without,
        "<= 1.5 x",
    );
    row(
        kind,
        "old rows that are still there after 100 s",
        &left,
        "",
        "",
    );
    if kind == Kind::Postgres {
        let what = "the longest statement then, other than COMMIT";
        row(kind, what, &longest, "ms", "<= 100 ms");
        row(kind, "the longest COMMIT then", &commits, "ms", "");
    }
}

/// Returns the p99 of the emits, the number of remaining old rows, and the longest statement and
/// the longest commit, in milliseconds.
async fn load(stage: &Stage, old: bool) -> (f64, f64, [f64; 2]) {
    let store = stage.fresh().await;
    store.hooks(stage.receiver.addr.port(), EMITTED, true).await;
    let mut bulk = store.bulk().await;
    let rows = stage.scaled(ROWS);
    let from = now() - if old { AGE } else { TimeDelta::days(10) };
    bulk.ended(rows, from, from + TimeDelta::days(5)).await;
    let platform = Platform::at(store.kind, &store.place).await;
    let server = store.server().await;
    let mut noted_from = 0;
    if let Some(server) = &server {
        noted_from = server.note_statements(Duration::from_millis(20)).await;
    }
    let engine = Arc::new(platform.engine().await);
    let waits = emits(&engine, SPAN).await;
    engine.shutdown(Duration::ZERO).await;
    let cut = format!("SELECT count(*) FROM gatepost_delivery WHERE id <= {rows}");
    let left = bulk.count(&cut).await as f64;
    let mut longest = [0.0; 2];
    if let Some(server) = &server {
        // Queries of this process itself do not count.
        let noted = server.noted(noted_from).await;
        let noted = noted.into_iter().filter(|(_, text)| !text.contains(&cut));
        for (millis, text) in noted {
            // A commit waits for the disk, and for other commits.
            let commit = text.ends_with("COMMIT");
            let longest = &mut longest[usize::from(commit)];
            if *longest == 0.0 {
                *longest = millis;
                println!("  old rows: {old}; longest: {millis} ms, {text}");
            }
        }
        server.note_statements(Duration::from_secs(3_600)).await;
    }
    drop((bulk, platform, server));
    store.remove().await;
    println!(
        "  old rows: {old}; p50 {:.2}, p99 {:.2}, most {:.2} ms",
        at(&waits, 500),
        at(&waits, 990),
        at(&waits, 1_000)
    );
    (at(&waits, 990), left, longest)
}

/// Emits at fixed times, however long the earlier calls take; returns the time of each since then.
async fn emits(engine: &Arc<Engine>, span: Duration) -> Vec<Duration> {
    let mut pace = tokio::time::interval(Duration::from_micros(1_000_000 / PACE));
    let (mut emits, end) = (tokio::task::JoinSet::new(), Instant::now() + span);
    for n in 0.. {
        let due = pace.tick().await.into_std();
        if due > end {
            break;
        }
        let engine = engine.clone();
        emits.spawn(async move {
            engine
                .emit(occurrence(owner(n % EMITTED + 1)))
                .await
                .unwrap();
            due.elapsed()
        });
    }
    emits.join_all().await
}
