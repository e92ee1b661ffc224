//! The store calls of an idle engine.

use gatepost_testkit::fault::FaultStore;

use super::*;

const TEN_MINUTES: Duration = Duration::from_secs(600);

#[tokio::test(start_paused = true)]
async fn idle_engine_makes_few_store_calls_per_second() {
    let store = Arc::new(FaultStore::new(Arc::new(MemoryStore::new())));
    let sender = Sender::builder(TargetPolicy::public()).build().unwrap();
    let engine = Engine::builder(store.clone(), sender)
        .one_system(Platform::new())
        .clock(Arc::new(Going(Instant::now())))
        .start()
        .await
        .unwrap();
    tokio::time::sleep(TEN_MINUTES).await;
    let before = store.calls();
    tokio::time::sleep(TEN_MINUTES).await;
    let calls = store.calls() - before;
    assert!(calls <= 2 * TEN_MINUTES.as_secs(), "{calls}");
    engine.shutdown(Duration::ZERO).await;
}
