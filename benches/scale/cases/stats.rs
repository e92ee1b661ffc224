//! Health and the metrics of the queue with 10,000,000 kept and 1,000,000 waiting.

use std::time::{Duration, Instant};

use benches::bulk::{Bulk, Waiting};
use benches::platform::{Platform, now};
use chrono::TimeDelta;

use crate::report::{at, row};
use crate::stage::{KEPT_TENANTS, Stage};

const CALLS: usize = 500;

pub(crate) async fn measure(stage: &mut Stage) {
    let place = stage.kept().await;
    let mut bulk = Bulk::at(stage.kind, &place).await;
    let waiting = Waiting {
        count: stage.scaled(1_000_000),
        queues: KEPT_TENANTS,
        due: now() + TimeDelta::days(1),
        step: TimeDelta::microseconds(100),
    };
    bulk.waiting(waiting).await;
    drop(bulk);
    let platform = Platform::at(stage.kind, &place).await;
    let engine = platform.engine().await;
    // By itself it counts only once the lease of an engine that was killed here earlier has ended.
    platform.store.count_queue(now()).await.unwrap();
    let mut figures = [const { Vec::new() }; 4];
    for _ in 0..stage.rounds(5) {
        let (mut health, mut stats) = (Vec::new(), Vec::new());
        for _ in 0..CALLS {
            let begun = Instant::now();
            let queue = engine.health().await.unwrap().queue;
            health.push(begun.elapsed());
            assert!(queue.queued >= waiting.count.cast_unsigned(), "{queue:?}");
            let begun = Instant::now();
            platform.store.queue_stats().await.unwrap();
            stats.push(begun.elapsed());
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        for (n, waits, part) in [(0, &health, 500), (1, &health, 990), (2, &stats, 500)] {
            figures[n].push(at(waits, part));
        }
        let begun = Instant::now();
        platform.store.count_queue(now()).await.unwrap();
        figures[3].push(begun.elapsed().as_secs_f64() * 1e3);
    }
    let kind = stage.kind;
    let among = "10,000,000 kept, 1,000,000 waiting";
    row(
        kind,
        &format!("health, {among}, median"),
        &figures[0],
        "ms",
        "<= 1 ms",
    );
    row(
        kind,
        &format!("health, {among}, p99"),
        &figures[1],
        "ms",
        "",
    );
    row(
        kind,
        &format!("figures of the queue, {among}"),
        &figures[2],
        "ms",
        "<= 1 ms",
    );
    row(
        kind,
        &format!("counting the queue, {among}"),
        &figures[3],
        "ms",
        "",
    );
    engine.shutdown(Duration::ZERO).await;
}
