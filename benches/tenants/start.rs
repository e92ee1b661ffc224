//! The time from the call that starts an engine to its first emit, with many records stored.

use std::sync::Arc;
use std::time::Instant;

use benches::platform::{Kind, Platform, occurrence};
use webhook_model::OwnerId;

pub(crate) async fn measure(case: &str, kind: Kind, short: bool) {
    let owners = match (case, short) {
        ("empty", _) => 1,
        (_, true) => 10_000,
        (_, false) => 100_000,
    };
    let platform = Arc::new(Platform::open(kind).await);
    platform
        .records_of_all(
            (0..owners).map(|n| OwnerId(n * 10 + 1)),
            "http://target.test/paused",
            5,
        )
        .await;
    let mut waits = Vec::new();
    for _ in 0..5 {
        let begun = Instant::now();
        let engine = platform.engine().await;
        engine.emit(occurrence(OwnerId(1))).await.unwrap();
        waits.push(begun.elapsed().as_secs_f64() * 1e3);
        engine.shutdown(std::time::Duration::ZERO).await;
    }
    let (median, ..) = benches::spread(waits);
    println!("figure start and first emit, ms {median}");
}
