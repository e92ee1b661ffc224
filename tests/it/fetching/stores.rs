//! Deliveries to fetch outlive their process, and cost nobody anything while they wait.

use std::sync::Arc;
use std::time::Duration;

use delivery::{Sender, TargetPolicy};
use examples::receiver::Receiver;
use gatepost_engine::{Engine, FetchedPage};
use gatepost_kv::MemoryStore;
use gatepost_postgres::{PostgresConfig, PostgresStore};
use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::webhooks::WebhookStore;
use gatepost_testkit::fault::FaultStore;
use tests::permissive_platform::one_system;
use tests::postgres;
use webhook_model::{DeliveryMode, OwnerId, Webhook, WebhookId};

async fn engine(store: Arc<dyn WebhookStore>) -> Engine {
    let policy = TargetPolicy::public().allow("127.0.0.0/8".parse().unwrap());
    let sender = Sender::builder(policy).build().unwrap();
    let engine = one_system(Engine::builder(store, sender));
    engine.start().await.unwrap()
}

async fn webhook(engine: &Engine, url: &str, mode: DeliveryMode) -> WebhookId {
    let name = mode.as_str().parse().unwrap();
    let mut webhook = Webhook::new(OwnerId(1), name, url.parse().unwrap());
    webhook.mode = mode;
    engine.create_webhook(&webhook).await.unwrap().id
}

async fn put(engine: &Engine, webhook: WebhookId, count: usize) {
    for n in 0..count {
        let message = format!("{n}").parse().unwrap();
        engine.send(webhook, Some(&message)).await.unwrap();
    }
}

fn bodies(page: &FetchedPage) -> Vec<&str> {
    let messages = page.messages.iter();
    messages.map(|message| &*message.delivery.body).collect()
}

#[tokio::test]
async fn receiver_resumes_at_cursor_after_restart() {
    let folder = tempfile::tempdir().unwrap();
    let config = || SqliteConfig::file(folder.path().join("gatepost.db"));
    let open = async || engine(Arc::new(SqliteStore::open(config()).await.unwrap())).await;
    let before = open().await;
    let hook = webhook(&before, "https://unreachable.example/", DeliveryMode::Fetch).await;
    put(&before, hook, 5).await;
    let first = before.fetch(hook, None, 2).await.unwrap();
    let second = before.fetch(hook, Some(&first.cursor), 2).await.unwrap();
    assert_eq!(bodies(&second), ["2", "3"]);
    before.shutdown(Duration::from_secs(10)).await;
    drop(before);

    let after = open().await;
    let again = after.fetch(hook, Some(&first.cursor), 2).await.unwrap();
    assert_eq!((bodies(&again), again.acknowledged), (vec!["2", "3"], 0));
    assert_eq!(again.cursor, second.cursor);
    let last = after.fetch(hook, Some(&second.cursor), 100).await.unwrap();
    assert_eq!((bodies(&last), last.acknowledged), (vec!["4"], 2));
    after.shutdown(Duration::from_secs(10)).await;
}

#[tokio::test]
async fn two_processes_fetch_same_messages_and_acknowledge_once() {
    let fresh = postgres::fresh();
    let open = async || {
        let config = PostgresConfig::url(&fresh.url).with_schema(&fresh.schema);
        engine(Arc::new(PostgresStore::connect(config).await.unwrap())).await
    };
    let (one, other) = (open().await, open().await);
    let hook = webhook(&one, "https://unreachable.example/", DeliveryMode::Fetch).await;
    put(&one, hook, 30).await;
    let page = other.fetch(hook, None, 20).await.unwrap();
    assert_eq!(page.messages.len(), 20);
    let calls = [&one, &other].map(|engine| engine.fetch(hook, Some(&page.cursor), 100));
    let [here, there] = calls;
    let (here, there) = tokio::join!(here, there);
    let (here, there) = (here.unwrap(), there.unwrap());
    assert_eq!(here.acknowledged + there.acknowledged, 20);
    assert_eq!((here.messages.len(), there.messages.len()), (10, 10));
    assert_eq!(here.cursor, there.cursor);
    let last = one.fetch(hook, Some(&here.cursor), 100).await.unwrap();
    assert_eq!((last.messages.len(), last.acknowledged), (0, 10));
    for engine in [&one, &other] {
        engine.shutdown(Duration::from_secs(10)).await;
    }
}

#[tokio::test]
async fn messages_awaiting_fetch_cause_no_claims() {
    let receiver = Receiver::start(None).await.unwrap();
    let store = Arc::new(FaultStore::new(Arc::new(MemoryStore::new())));
    let engine = engine(store.clone()).await;
    let fetched = webhook(&engine, "https://unreachable.example/", DeliveryMode::Fetch).await;
    let url = format!("http://{}/in", receiver.addr);
    let pushed = webhook(&engine, &url, DeliveryMode::Push).await;
    put(&engine, fetched, 2_000).await;
    assert_eq!(store.calls_of("claim"), 0, "no queue of it was ever due");
    put(&engine, pushed, 20).await;
    receiver.wait_for("/in", 20).await.unwrap();
    let before = store.calls_of("list_deliveries");
    let page = engine.fetch(fetched, None, 100).await.unwrap();
    assert_eq!(page.messages.len(), 100);
    let page = engine
        .fetch(fetched, Some(&page.cursor), 100)
        .await
        .unwrap();
    assert_eq!(page.acknowledged, 100);
    assert_eq!(store.calls_of("acknowledge"), 1);
    assert_eq!(
        store.calls_of("list_deliveries") - before,
        2,
        "one call a page"
    );
}
