//! A newer process migrates the schema while this one uses it.

use std::error::Error as _;
use std::time::Duration;

use gatepost_postgres::{PostgresConfig, PostgresStore};
use gatepost_storage::keys::{KeyShard, KeyStore as _};
use gatepost_storage::webhooks::*;
use gatepost_storage::{ErrorKind, OwnerStore as _, StoreError};
use gatepost_testkit::fixtures::{
    UNLIMITED, at, direct, key, message, settlement, stored_webhook, webhook,
};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};
use tokio_postgres::Client;
use webhook_model::WebhookId;

use crate::common::{claim_all, fresh_at, queue_claim, raw, rows};
use crate::postgres;

/// The changes of a later version: a column that says what a key is good for, and one more version.
const FORWARD: &str = "ALTER TABLE gatepost_key ADD COLUMN good_on int NOT NULL DEFAULT 7;
    INSERT INTO gatepost_migration (version, name) VALUES (99, 'later');";
const BACK: &str = "ALTER TABLE gatepost_key DROP COLUMN good_on;
    DELETE FROM gatepost_migration WHERE version = 99;";
/// The time in which a process notices without a notification; a busy machine has ten times as
/// long.
const BOUND: Duration = Duration::from_secs(2);

async fn migrate(client: &Client, sql: &str, notified: &str) {
    let sql = format!("BEGIN; {sql} {notified}; COMMIT");
    client.batch_execute(&sql).await.unwrap();
}

/// Returns how long it takes until reads are refused, or no longer refused.
async fn until(store: &PostgresStore, hook: WebhookId, refused: bool) -> Duration {
    let began = Instant::now();
    while store.webhook(hook).await.is_err() != refused {
        assert!(began.elapsed() < 10 * BOUND, "refused is not {refused}");
        sleep(Duration::from_millis(2)).await;
    }
    began.elapsed()
}

fn refusal<T: std::fmt::Debug>(what: &str, answer: Result<T, StoreError>) {
    let error = answer.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{what}: {error:?}");
    let text = format!("{error}: {}", error.source().unwrap());
    let migrations = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/migrations"));
    let own = migrations.unwrap().count().to_string();
    let named = text.contains("newer version") && text.contains("99") && text.contains(&own);
    assert!(named, "{what}: {text}");
}

async fn every_call_is_refused(store: &PostgresStore, hook: WebhookId, claimed: &Claimed) {
    let sent = vec![settlement(claimed, Disposition::Sent)];
    refusal("settle", store.settle(sent, at(1)).await);
    let queues = [queue_claim(hook, QueueClass::First, 9)];
    refusal("claim", store.claim(&queues, at(60), at(1)).await);
    let more = direct(vec![message(hook, "more", at(0))]);
    refusal("enqueue", store.enqueue(more, at(1)).await);
    let again = store.insert_webhook(&webhook("x"), UNLIMITED, at(1)).await;
    refusal("write", again);
    refusal("lease", store.lease("clean", 1, at(60), at(1)).await);
    refusal("figures", store.queue_stats().await);
    let present = key(1, "k").lookup;
    refusal("authenticate", store.key_by_lookup(present).await);
    let shard = KeyShard::of(present);
    assert_eq!(store.key_generation(shard), None, "no key is remembered");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn process_with_newer_schema_writes_and_loses_nothing() {
    let (store, config, at_) = fresh_at().await;
    let client = raw(&at_).await;
    let hook = stored_webhook(&store, "w").await;
    let one = message(hook, "a", at(0));
    store.enqueue(direct(vec![one]), at(0)).await.unwrap();
    let claimed = claim_all(&store, hook, 0).await.remove(0);
    let notified = format!("SELECT pg_notify('gatepost_{}', 'migrated')", at_.schema);
    migrate(&client, FORWARD, &notified).await;
    let noticed = until(&store, hook, true).await;
    let nodes = rows(&client, "gatepost_node").await;
    every_call_is_refused(&store, hook, &claimed).await;
    refusal("open", PostgresStore::connect(config).await);
    assert_eq!(rows(&client, "gatepost_delivery_all").await, 1);
    assert_eq!(rows(&client, "gatepost_webhook").await, 1);
    assert_eq!(rows(&client, "gatepost_node").await, nodes);

    // The control, which is also the case of a restored backup.
    migrate(&client, BACK, "").await;
    until(&store, hook, false).await;
    let sent = vec![settlement(&claimed, Disposition::Sent)];
    assert_eq!(store.settle(sent, at(2)).await.unwrap(), [Settled::Done]);
    eprintln!("noticed after {noticed:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn process_without_notification_notices_migration_by_next_beat() {
    let (store, _, at_) = fresh_at().await;
    let hook = stored_webhook(&store, "w").await;
    migrate(&raw(&at_).await, FORWARD, "").await;
    until(&store, hook, true).await;
}

/// Forwards connections until it is dropped; then all are closed, and no new ones are accepted.
async fn passage(to: String) -> (u16, JoinSet<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (port, mut passing) = (listener.local_addr().unwrap().port(), JoinSet::new());
    passing.spawn(async move {
        let mut open = JoinSet::new();
        while let Ok((mut near, _)) = listener.accept().await {
            let mut far = TcpStream::connect(&to).await.unwrap();
            open.spawn(async move {
                drop(copy_bidirectional(&mut near, &mut far).await);
            });
        }
    });
    (port, passing)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn process_without_listener_notices_migration_by_next_call() {
    let at_ = postgres::fresh();
    let server: tokio_postgres::Config = at_.url.parse().unwrap();
    let (port, passing) = passage(format!("127.0.0.1:{}", server.get_ports()[0])).await;
    let direct = at_.url.replace(
        &format!(":{}/", server.get_ports()[0]),
        &format!(":{port}/"),
    );
    let config = PostgresConfig::url(&at_.url)
        .with_schema(&at_.schema)
        .with_direct_url(&direct);
    let store = PostgresStore::connect(config).await.unwrap();
    let hook = stored_webhook(&store, "w").await;
    drop(passing);
    let shard = KeyShard(0);
    while store.key_generation(shard).is_some() {
        sleep(Duration::from_millis(2)).await;
    }
    store.webhook(hook).await.unwrap();
    migrate(&raw(&at_).await, FORWARD, "").await;
    let took = until(&store, hook, true).await;
    eprintln!("noticed after {took:?}");
}
