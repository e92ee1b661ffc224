//! How fast one process fans out what waits in the outbox: of sixteen tenants, or of one. Each row
//! makes one delivery, which waits.

use std::sync::Arc;
use std::time::Instant;

use benches::platform::{Kind, Platform, now, occurrence};
use webhook_model::OwnerId;

pub(crate) async fn measure(case: &str, kind: Kind, short: bool) {
    let tenants = if case == "sixteen" { 16 } else { 1 };
    let rows = if short { 4_000 } else { 40_000 };
    let platform = Arc::new(Platform::open(kind).await);
    let owner = move |n: i64| OwnerId(10 * (1 + n % tenants));
    for n in 0..tenants {
        platform
            .records(owner(n), "http://target.test/paused", 1)
            .await;
    }
    let gate = Arc::new(tokio::sync::Semaphore::new(256));
    let mut pushing = tokio::task::JoinSet::new();
    for n in 0..rows {
        let permit = gate.clone().acquire_owned().await.unwrap();
        let store = platform.store.clone();
        pushing.spawn(async move {
            let pushed = store.push_outbox(&occurrence(owner(n)), now()).await;
            drop(permit);
            pushed.unwrap()
        });
        while pushing.try_join_next().is_some() {}
    }
    pushing.join_all().await;
    let began = Instant::now();
    let engine = platform.engine().await;
    loop {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        let figures = platform.store.count_queue(now()).await.unwrap();
        if figures.outbox == 0 && figures.queued >= rows.cast_unsigned() {
            break;
        }
    }
    let a_second = rows as f64 / began.elapsed().as_secs_f64();
    println!("figure rows a second {a_second}");
    drop(engine);
}
