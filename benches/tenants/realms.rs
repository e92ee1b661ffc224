//! Emits over ten tenants, and over all, with few or very many tenants in the store.

use std::sync::Arc;
use std::time::{Duration, Instant};

use benches::platform::{Kind, Platform, occurrence};
use webhook_model::OwnerId;

const EMITTERS: i64 = 64;

pub(crate) async fn measure(case: &str, kind: Kind, short: bool) {
    let many = if short { 10_000 } else { 100_000 };
    let (stored, used) = match case {
        "ten" => (10, 10),
        "ten-of-many" => (many, 10),
        _ => (many, many),
    };
    let platform = Arc::new(Platform::open(kind).await);
    // Ten records each: a webhook, and tasks with their events; one owner a tenant.
    platform
        .records_of_all((0..stored).map(owner), "http://target.test/paused", 4)
        .await;
    let engine = platform.engine().await;
    let span = Duration::from_secs(if short { 5 } else { 20 });
    let end = Instant::now() + span;
    let mut emitters = tokio::task::JoinSet::new();
    for emitter in 0..EMITTERS {
        let engine = engine.clone();
        emitters.spawn(async move {
            let mut done = 0_u32;
            let mut at = emitter;
            while Instant::now() < end {
                engine.emit(occurrence(owner(at % used))).await.unwrap();
                at += EMITTERS + 1;
                done += 1;
            }
            done
        });
    }
    let mut done = 0_u32;
    while let Some(emitted) = emitters.join_next().await {
        done += emitted.unwrap();
    }
    println!(
        "figure time an emit, µs {}",
        span.as_secs_f64() * 1e6 / f64::from(done)
    );
    let resident = tests::process::resident(std::process::id()).unwrap();
    println!("figure memory, MiB {}", resident as f64 / (1024.0 * 1024.0));
}

fn owner(n: i64) -> OwnerId {
    OwnerId(u128::from(n.unsigned_abs()) * 10 + 1)
}
