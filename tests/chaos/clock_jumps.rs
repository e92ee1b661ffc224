//! Clocks that jump and clocks that differ: no claim of a living worker is taken from it, nothing
//! is lost, nothing is sent again and again.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use delivery::{Schedule, Sender, TargetPolicy};
use gatepost_engine::{Engine, Limits, StartError, Timing};
use gatepost_kv::MemoryStore;
use gatepost_postgres::{PostgresConfig, PostgresStore};
use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::Page;
use gatepost_storage::webhooks::{DeliveryQuery, DeliveryState};
use tests::chaos::{Store, Wrong};
use tests::permissive_platform::one_system;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use webhook_model::{OwnerId, Webhook, WebhookId};

/// Responds to each request after a second and a half; counts them.
async fn slow() -> (std::net::SocketAddr, Arc<AtomicI64>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (addr, count) = (listener.local_addr().unwrap(), Arc::new(AtomicI64::new(0)));
    let counted = count.clone();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let counted = counted.clone();
            tokio::spawn(async move {
                let mut buffer = vec![0; 4096];
                while stream.read(&mut buffer).await.is_ok_and(|n| n > 0) {
                    counted.fetch_add(1, Ordering::SeqCst);
                    tokio::time::sleep(Duration::from_millis(1500)).await;
                    let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
                    drop(stream.write_all(answer).await);
                }
            });
        }
    });
    (addr, count)
}

async fn engine<S: Store>(store: Arc<S>, clock: Arc<Wrong>) -> Result<Engine, StartError> {
    let policy = TargetPolicy::public().allow("127.0.0.0/8".parse().unwrap());
    let limits =
        Limits::default().with_timing(Timing::default().with_poll(Duration::from_millis(50)));
    let sender = Sender::builder(policy).build().unwrap();
    let builder = one_system(Engine::builder(store, sender));
    let builder = builder.clock(clock).limits(limits);
    let schedule = Schedule::new([Duration::from_millis(50)]).unwrap();
    builder.schedule(schedule).start().await
}

async fn webhook(engine: &Engine, addr: std::net::SocketAddr) -> WebhookId {
    let url = format!("http://{addr}/").parse().unwrap();
    let webhook = Webhook::new(OwnerId(1), "slow".parse().unwrap(), url);
    engine.create_webhook(&webhook).await.unwrap().id
}

/// Checks that each of this number of deliveries was sent by one request, and no claim was lost.
async fn expect_each_once<S: Store>(store: &S, count: usize, requests: &AtomicI64, what: &str) {
    let mut all = Vec::new();
    for _ in 0..400 {
        all = store
            .list_deliveries(&DeliveryQuery::all(Page::first(1000)))
            .await
            .unwrap();
        if all.iter().all(|d| d.state.is_final()) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    assert_eq!(all.len(), count, "{what}");
    for delivery in &all {
        let stood = (delivery.state, delivery.attempts, delivery.lost_claims);
        assert_eq!(stood, (DeliveryState::Sent, 1, 0), "{what}: {delivery:?}");
    }
    assert_eq!(
        usize::try_from(requests.load(Ordering::SeqCst)),
        Ok(count),
        "{what}"
    );
}

/// Sets the clock while requests are on their way, again and again.
async fn jumps<S: Store>(store: Arc<S>) {
    let hour = 3600;
    for (at, seconds) in [hour, -hour, 400 * 24 * hour, -400 * 24 * hour]
        .into_iter()
        .enumerate()
    {
        let what = format!("a jump of {seconds} s");
        let (addr, requests) = slow().await;
        let clock = Arc::new(Wrong::default());
        let engine = engine(store.clone(), clock.clone()).await.unwrap();
        let hook = webhook(&engine, addr).await;
        // Until a webhook responds it has one request in flight.
        engine.send(hook, None).await.unwrap();
        expect_each_once(store.as_ref(), 1, &requests, &what).await;
        for _ in 0..5 {
            engine.send(hook, None).await.unwrap();
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
        clock.0.store(seconds, Ordering::SeqCst);
        // Longer than a second: the engine has looked for lost claims since.
        tokio::time::sleep(Duration::from_millis(1100)).await;
        expect_each_once(store.as_ref(), 6, &requests, &what).await;
        let cascade = gatepost_storage::webhooks::Cascade::Tasks;
        engine.delete_webhook(hook, cascade).await.unwrap();
        engine.shutdown(Duration::from_secs(1)).await;
        assert!(at < 4);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn clock_jumps_revoke_no_claims_in_memory() {
    jumps(Arc::new(MemoryStore::new())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn clock_jumps_revoke_no_claims_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let config = SqliteConfig::file(folder.path().join("gatepost.db"));
    jumps(Arc::new(SqliteStore::open(config).await.unwrap())).await;
}

/// 25 seconds before and 25 seconds after: together more than a lease lasts longer than its
/// timeout.
#[tokio::test(flavor = "multi_thread")]
async fn workers_with_different_clocks_keep_their_claims() {
    let fresh = tests::postgres::fresh();
    let config = PostgresConfig::url(&fresh.url)
        .with_schema(&fresh.schema)
        .with_max_connections(6);
    let mut engines = Vec::new();
    let mut stores = Vec::new();
    for seconds in [-25, 25] {
        let store = Arc::new(PostgresStore::connect(config.clone()).await.unwrap());
        let clock = Arc::new(Wrong(AtomicI64::new(seconds)));
        engines.push(engine(store.clone(), clock).await.unwrap());
        stores.push(store);
    }
    let (addr, requests) = slow().await;
    let hook = webhook(&engines[0], addr).await;
    for n in 0..20 {
        engines[n % 2].send(hook, None).await.unwrap();
    }
    tokio::time::sleep(Duration::from_millis(2500)).await;
    expect_each_once(stores[0].as_ref(), 20, &requests, "25 seconds either way").await;
    let far = engine(stores[0].clone(), Arc::new(Wrong(AtomicI64::new(40)))).await;
    assert!(
        matches!(far, Err(StartError::ClockSkew(_))),
        "the bound is 30 seconds"
    );
}
