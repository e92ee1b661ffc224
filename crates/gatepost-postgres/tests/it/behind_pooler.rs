//! Behind PgBouncer, as a role whose settings all differ from those that the store needs.

use std::time::Duration;

use gatepost_postgres::{PostgresConfig, PostgresStore};
use gatepost_storage::webhooks::*;
use gatepost_storage::{ErrorKind, KeyStore};
use gatepost_testkit::fixtures::{UNLIMITED, at, direct, key, message, webhook};
use gatepost_testkit::model;
use tokio::time::timeout;
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

use crate::contract::{Place, place_of};
use crate::pooler::pooled;
use crate::postgres::fresh_schema;

/// Returns the configuration of this database of the pooler.
fn behind(database: &str) -> PostgresConfig {
    let pooled = pooled();
    PostgresConfig::url(&pooled.url(database))
        .with_pooled(database != "session")
        .with_direct_url(&pooled.direct())
}

fn place(database: &str) -> Place {
    place_of(pooled().place(), behind(database))
}

mod keys {
    gatepost_testkit::key_store_conformance!(super::place(super::pooled().mode()));
}

mod audit {
    gatepost_testkit::audit_store_conformance!(super::place(super::pooled().mode()));
}

mod webhooks {
    gatepost_testkit::webhook_store_conformance!(super::place(super::pooled().mode()));
}

#[test]
fn random_calls_match_reference_store_with_pooled_sessions() {
    model::check_key_store(4, || place("session"));
    model::check_webhook_store(12, || place("session"));
}

#[test]
fn random_calls_match_reference_store_with_role_settings() {
    let server = || PostgresConfig::url(&pooled().direct());
    model::check_key_store(4, || place_of(pooled().place(), server()));
    model::check_webhook_store(12, || place_of(pooled().place(), server()));
}

async fn session(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

/// Returns one value, by a simple statement, which any session may run.
async fn value(client: &Client, sql: &str) -> String {
    for message in client.simple_query(sql).await.unwrap() {
        if let SimpleQueryMessage::Row(row) = message {
            return row.get(0).unwrap_or_default().to_owned();
        }
    }
    panic!("no row: {sql}");
}

#[test]
fn pooled_session_keeps_no_state_after_calls() {
    const LEFT: &str = "SELECT pg_backend_pid() || ' ' ||
        (SELECT count(*) FROM pg_prepared_statements WHERE name NOT LIKE 'PGBOUNCER%') || ' ' ||
        (SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory') || ' ' ||
        (SELECT count(*) FROM pg_listening_channels()) || ' ' ||
        (SELECT string_agg(name || '=' || setting, ' ' ORDER BY name) FROM pg_settings 
            WHERE name NOT LIKE 'transaction_%' AND name NOT LIKE 'plpgsql.%' AND name <> 'application_name')";
    if !pooled().knows_statements {
        return; // The store refuses it, as another test shows.
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (client, before) = runtime.block_on(async {
        let client = session(&pooled().url("alone")).await;
        let before = value(&client, LEFT).await;
        (client, before)
    });
    model::check_key_store(2, || place("alone"));
    model::check_webhook_store(6, || place("alone"));
    let after = runtime.block_on(value(&client, LEFT));
    assert_eq!(before, after, "one session, as it was");
    assert!(
        before.contains(" 0 0 0 ") && before.contains("statement_timeout=5000 "),
        "{before}"
    );
}

#[tokio::test]
async fn statement_outlasts_statement_timeout_of_role() {
    let schema = fresh_schema();
    let config = behind(pooled().mode()).with_schema(&schema);
    let store = PostgresStore::connect(config).await.unwrap();
    let hook = webhook("w");
    let hook = store.insert_webhook(&hook, UNLIMITED, at(0)).await.unwrap();
    // A session has the settings of the role until a statement is prepared.
    assert!(store.webhook(hook.id).await.unwrap().is_some());
    let holder = session(pooled().server.url()).await;
    let held = format!("BEGIN; LOCK TABLE {schema}.gatepost_webhook IN ACCESS EXCLUSIVE MODE");
    holder.batch_execute(&held).await.unwrap();
    let released = holder.batch_execute("SELECT pg_sleep(5.5); COMMIT");
    let (read, released) = tokio::join!(store.webhook(hook.id), released);
    released.unwrap();
    assert!(read.unwrap().is_some(), "read once the lock was released");
}

#[tokio::test]
async fn pooled_store_without_direct_url_is_refused() {
    let config = PostgresConfig::url(&pooled().url("transaction")).with_pooled(true);
    let refused = PostgresStore::connect(config).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Invalid);
    assert!(refused.to_string().contains("direct URL"), "{refused}");
}

/// Not only by a later statement that fails.
#[tokio::test]
async fn pooler_without_prepared_statements_is_refused_at_connect() {
    let config = behind("transaction").with_schema(&fresh_schema());
    let connected = PostgresStore::connect(config).await;
    if pooled().knows_statements {
        return drop(connected.unwrap());
    }
    let refused = connected.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unsupported);
    assert!(refused.to_string().contains("1.21"), "{refused}");
}

#[tokio::test]
async fn notifications_of_work_and_keys_bypass_pooler() {
    for database in [pooled().mode(), "session"] {
        let config = behind(database).with_schema(&fresh_schema());
        let one = PostgresStore::connect(config.clone()).await.unwrap();
        let other = PostgresStore::connect(config).await.unwrap();
        let hook = webhook("w");
        let hook = one.insert_webhook(&hook, UNLIMITED, at(0)).await.unwrap();
        let heard = tokio::spawn(async move { other.work_arrived().await });
        let batch = direct(vec![message(hook.id, "m", at(0))]);
        one.enqueue(batch, at(0)).await.unwrap();
        timeout(Duration::from_secs(20), heard)
            .await
            .unwrap()
            .unwrap();
        let row = one.insert_key(&key(1, "k"), u64::MAX).await.unwrap();
        one.delete_key(row.id, at(1)).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn process_uses_six_connections_and_stores_share_pooler() {
    let pooled = pooled();
    let schema = fresh_schema();
    let count = |name: &str| {
        format!("SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE '{name}%'")
    };
    let watch = session(pooled.server.url()).await;
    let named = |url: String| format!("{url}&application_name={schema}");
    let config = PostgresConfig::url(&named(pooled.direct())).with_schema(&schema);
    let store = PostgresStore::connect(config).await.unwrap();
    let hook = webhook("w");
    let hook = store.insert_webhook(&hook, UNLIMITED, at(0)).await.unwrap();
    let calls = (0..400).map(|n| {
        let store = store.clone();
        tokio::spawn(async move {
            let batch = direct(vec![message(hook.id, &format!("m{n}"), at(0))]);
            store.enqueue(batch, at(0)).await.unwrap();
            store.webhook(hook.id).await.unwrap().unwrap();
            store
                .list_deliveries(&DeliveryQuery::all(gatepost_storage::Page::first(9)))
                .await
                .unwrap();
        })
    });
    let calls: Vec<_> = calls.collect();
    let mut most = 0;
    for call in calls {
        call.await.unwrap();
        most = most.max(value(&watch, &count(&schema)).await.parse::<u32>().unwrap());
    }
    assert_eq!(most, 6, "five in the pool, and one that listens");
    store.close().await;

    if !pooled.knows_statements {
        return;
    }
    // Twenty sessions of the pooler for all of them; each listens on its own connection.
    let config = behind("transaction").with_schema(&schema);
    let mut stores = Vec::new();
    for _ in 0..40 {
        stores.push(PostgresStore::connect(config.clone()).await.unwrap());
    }
    let calls = stores
        .iter()
        .flat_map(|store| (0..5).map(|_| store.webhook(hook.id)));
    let found = futures_util::future::join_all(calls).await;
    assert!(found.into_iter().all(|found| found.unwrap().is_some()));
}
