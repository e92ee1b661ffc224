//! Migrations, and the stored data on disk.
use std::sync::Arc;

use gatepost_ids::TenantId;
use gatepost_postgres::{PostgresConfig, PostgresStore};
use gatepost_storage::seal::{Resealed, SealingKey, SealingKeys};
use gatepost_storage::webhooks::*;
use gatepost_storage::{ErrorKind, KeyStore, OwnerStore as _, Scope};
use gatepost_testkit::Webhooks;
use gatepost_testkit::fixtures::{
    UNLIMITED, at, direct, key, message, outbox, queue_claim, settlement, stored_webhook, webhook,
};
use tokio_postgres::{Client, NoTls};
use webhook_model::{
    Audience, Authorization, Headers, OwnerId, SigningSecret, SigningSecrets, TaskId,
};

use crate::common::fresh;
use crate::postgres::{self, TestPostgres};

async fn admin(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn four_nodes_start_concurrently_on_empty_database() {
    let fresh = postgres::fresh();
    let config = PostgresConfig::url(&fresh.url)
        .with_schema(&fresh.schema)
        .with_max_connections(4);
    let nodes = (0..4).map(|_| tokio::spawn(PostgresStore::connect(config.clone())));
    let mut stores = Vec::new();
    for node in nodes.collect::<Vec<_>>() {
        stores.push(node.await.unwrap().unwrap());
    }
    let row = stores[0].insert_key(&key(1, "k"), u64::MAX).await.unwrap();
    for store in &stores {
        assert_eq!(store.key(row.id).await.unwrap().as_ref(), Some(&row));
    }
    let client = admin(&fresh.url).await;
    let applied = client
        .query(
            &format!("SELECT FROM {}.gatepost_migration", fresh.schema),
            &[],
        )
        .await
        .unwrap();
    let migrations = concat!(env!("CARGO_MANIFEST_DIR"), "/migrations");
    let migrations = std::fs::read_dir(migrations).unwrap().count();
    assert_eq!(applied.len(), migrations, "each migration ran once");
}

#[tokio::test]
async fn a_database_of_a_newer_version_is_refused() {
    let fresh = postgres::fresh();
    let config = PostgresConfig::url(&fresh.url)
        .with_schema(&fresh.schema)
        .with_max_connections(4);
    drop(PostgresStore::connect(config.clone()).await.unwrap());
    let client = admin(&fresh.url).await;
    client
        .batch_execute(&format!(
            "INSERT INTO {}.gatepost_migration (version, name) VALUES (99, 'later')",
            fresh.schema
        ))
        .await
        .unwrap();
    let refused = PostgresStore::connect(config).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unsupported, "{refused:?}");
}

/// Names and messages are any text: in another encoding, a text that does not fit fails much later.
#[tokio::test]
async fn database_not_utf8_is_refused_at_start() {
    let fresh = postgres::fresh();
    let client = admin(&fresh.url).await;
    for encoding in ["LATIN1", "SQL_ASCII"] {
        let name = format!("{}_{}", fresh.schema, encoding.to_lowercase());
        let create = format!(
            "CREATE DATABASE {name} ENCODING '{encoding}' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'"
        );
        client.batch_execute(&create).await.unwrap();
        let (server, database) = fresh.url.rsplit_once('/').unwrap();
        let options = database.split_once('?').map_or("", |(_, options)| options);
        let url = format!("{server}/{name}?{options}");
        let config = PostgresConfig::url(&url).with_max_connections(4);
        let refused = PostgresStore::connect(config).await.unwrap_err();
        let drop = format!("DROP DATABASE {name} WITH (FORCE)");
        client.batch_execute(&drop).await.unwrap();
        assert_eq!(refused.kind(), ErrorKind::Unsupported, "{refused:?}");
        let said = refused.to_string();
        assert!(
            said.contains("the database's encoding must be UTF8"),
            "{said}"
        );
    }
}

#[tokio::test]
async fn connection_error_does_not_contain_password() {
    let url = "postgres://gatepost:hunter2@127.0.0.1:1/none?connect_timeout=1";
    let refused = PostgresStore::connect(PostgresConfig::url(url))
        .await
        .unwrap_err();
    assert!(refused.is_transient());
    let mut text = format!("{refused:?} {refused}");
    let mut source = std::error::Error::source(&refused);
    while let Some(error) = source {
        text.push_str(&format!("{error:?} {error}"));
        source = error.source();
    }
    assert!(!text.contains("hunter2"), "{text}");
}

#[tokio::test]
async fn dumped_secrets_are_sealed_and_need_their_key() {
    let server = TestPostgres::start();
    let config = PostgresConfig::url(server.url());
    let keys = || SealingKeys::new(SealingKey::new(7, [7; 32]));
    let store = PostgresStore::connect(config.clone().with_sealing(keys()))
        .await
        .unwrap();
    let signing = SigningSecret::from_random([0x5a; 32]);
    let mut hook = webhook("w");
    hook.authorization = Authorization::bearer("canary-token-1").unwrap();
    hook.headers = Headers::parse_lines("X-One: canary-header-2\nX-One: b\n").unwrap();
    hook.signing = SigningSecrets::new(vec![signing.clone()]).unwrap();
    let row = store.insert_webhook(&hook, UNLIMITED, at(0)).await.unwrap();
    assert_eq!(store.webhook(row.id).await.unwrap().unwrap().value, hook);

    let dump = String::from_utf8_lossy(&server.dump()).into_owned();
    assert!(
        dump.contains("x0100000007"),
        "the dump holds the row, sealed under key 7"
    );
    let url = "example.com/hook";
    for secret in [url, "canary-token-1", "canary-header-2", signing.expose()] {
        assert!(!dump.contains(secret) && !dump.contains(&hex(secret)));
    }
    let without = PostgresStore::connect(config.clone()).await.unwrap();
    assert_eq!(
        without.webhook(row.id).await.unwrap_err().kind(),
        ErrorKind::Corrupt
    );
    let rotated =
        SealingKeys::new(SealingKey::new(8, [8; 32])).with_old(SealingKey::new(7, [7; 32]));
    let rotated = PostgresStore::connect(config.clone().with_sealing(rotated))
        .await
        .unwrap();
    assert_eq!(rotated.webhook(row.id).await.unwrap().unwrap().value, hook);

    // The control: without a key the secret is found in the dump.
    let mut clear = hook.clone();
    clear.name = "clear".parse().unwrap();
    without
        .insert_webhook(&clear, UNLIMITED, at(0))
        .await
        .unwrap();
    let secrets = ["canary-token-1", url].map(hex);
    let dump = String::from_utf8_lossy(&server.dump()).into_owned();
    assert!(secrets.iter().all(|secret| dump.contains(secret)));

    // Secrets under an older key, and in plaintext, are sealed in one call.
    assert_eq!(rotated.reseal().await.unwrap().changed, 2);
    assert_eq!(rotated.reseal().await.unwrap().changed, 0);
    let dump = String::from_utf8_lossy(&server.dump()).into_owned();
    assert!(!secrets.iter().any(|secret| dump.contains(secret)));
    let new = SealingKeys::new(SealingKey::new(8, [8; 32]));
    let new = PostgresStore::connect(config.with_sealing(new))
        .await
        .unwrap();
    assert_eq!(new.webhook(row.id).await.unwrap().as_ref(), Some(&row));
}

fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}

#[tokio::test]
async fn reseal_passes_over_unreadable_webhooks() {
    let (_, config) = fresh().await;
    let key = |id: u8| SealingKey::new(id.into(), [id; 32]);
    let open = async |keys| {
        let sealed = config.clone().with_sealing(keys);
        PostgresStore::connect(sealed).await.unwrap()
    };
    let mut ids = Vec::new();
    for (name, sealed_under) in [("lost", 9), ("old", 1)] {
        let store = open(SealingKeys::new(key(sealed_under))).await;
        let row = store.insert_webhook(&webhook(name), UNLIMITED, at(0)).await;
        ids.push(row.unwrap().id);
    }
    let store = open(SealingKeys::new(key(2)).with_old(key(1))).await;
    let resealed = store.reseal().await.unwrap();
    assert_eq!((resealed.changed, resealed.unreadable), (1, 1));
    let store = open(SealingKeys::new(key(2))).await;
    assert!(store.webhook(ids[1]).await.unwrap().is_some());
    let refused = store.webhook(ids[0]).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Corrupt);
    let owner = Scope::Owner(OwnerId(1));
    let listed = store.unreadable(owner, 9).await.unwrap();
    let records: Vec<_> = listed.iter().map(|listed| listed.record).collect();
    assert_eq!(records, [RecordId::Webhook(ids[0])]);
    let deleted = store.delete_webhook(ids[0], Cascade::Refuse, at(1)).await;
    deleted.unwrap();
    while store.remove_gone(9, at(2)).await.unwrap() == 9 {}
    assert_eq!(store.reseal().await.unwrap(), Resealed::default());
}

#[tokio::test]
async fn attempts_without_their_key_read_as_not_kept() {
    let (clear, config) = fresh().await;
    let key = |id: u8| SealingKey::new(id.into(), [id; 32]);
    let open = async |keys| {
        let sealed = config.clone().with_sealing(keys);
        PostgresStore::connect(sealed).await.unwrap()
    };
    let sealed = open(SealingKeys::new(key(1))).await;
    let mut settled = Vec::new();
    for (name, store) in [("clear", &clear), ("sealed", &sealed)] {
        let hook = stored_webhook(store, name).await;
        let new = direct(vec![message(hook, name, at(0))]);
        store.enqueue(new, at(0)).await.unwrap();
        let first = [queue_claim(hook, QueueClass::First)];
        let claimed = store.claim(&first, at(10), at(0)).await.unwrap();
        let settlement = settlement(&claimed[0], Disposition::Sent);
        settled.push((claimed[0].delivery.id, settlement.attempt.clone().unwrap()));
        store.settle(vec![settlement], at(1)).await.unwrap();
    }
    let heads = |a: &AttemptRecord| (a.request_head.clone(), a.response_body.clone(), a.kept);
    let whole = [heads(&settled[0].1), heads(&settled[1].1)];
    let lost = [whole[0].clone(), (Vec::new(), Vec::new(), false)];
    let rotated = SealingKeys::new(key(2)).with_old(key(1));
    for (keys, expected) in [(rotated, whole), (SealingKeys::new(key(2)), lost)] {
        let store = open(keys).await;
        for ((delivery, _), expected) in settled.iter().zip(expected) {
            let attempts = store.attempts(*delivery, 9).await.unwrap();
            assert_eq!(heads(&attempts[0]), expected);
        }
    }
}

#[tokio::test]
async fn host_writes_outbox_with_plain_sql() {
    let server = TestPostgres::start();
    let store = PostgresStore::connect(PostgresConfig::url(server.url()))
        .await
        .unwrap();
    let client = admin(server.url()).await;
    client
        .batch_execute(
            "INSERT INTO gatepost.gatepost_occurrence (event_type, event, object_id, object_name, tags, variables, data, occurrence_id)
             VALUES ('vms', 'poweron', 4711, 'web-1', '[3, 8]', '{\"ZONE\": \"b\"}', '{\"n\": [1.50]}', NULL);
             INSERT INTO gatepost.gatepost_occurrence (event_type, event) VALUES ('Not A Type', 'x');
             INSERT INTO gatepost.gatepost_occurrence (event_type, event, tenant) VALUES ('vms', 'poweroff', 42);
             INSERT INTO gatepost.gatepost_occurrence (event_type, event, tenant, operators) VALUES ('vms', 'poweroff', 42, true);
             INSERT INTO gatepost.gatepost_occurrence (event_type, event, due) VALUES ('vms', 'poweroff', now() + interval '1 day');",
        )
        .await
        .unwrap();
    let now = store.server_time().await.unwrap().unwrap();
    let now = (now - at(0)).num_seconds() + 1;
    let all = Webhooks::of(Arc::new(store.clone()));
    let mut rows = outbox(&all, now).await;
    rows.sort_unstable_by_key(|row| row.id);
    let read = rows[0].occurrence.as_ref().unwrap();
    assert_eq!((read.tags.len(), read.variables[0].1.as_str()), (2, "b"));
    assert_eq!(read.data, Some(r#"{"n":[1.5]}"#.parse().unwrap()));
    assert!(
        rows[1]
            .occurrence
            .as_ref()
            .unwrap_err()
            .0
            .starts_with("event_type")
    );
    assert_eq!(read.audience, Audience::OneSystem);
    let addressed = rows[2].occurrence.as_ref().unwrap();
    assert_eq!(addressed.audience, Audience::Tenant(TenantId(42)));
    assert_eq!(
        (rows[2].turn, &rows[2].left),
        (0, &RemainingTasks::After(TaskId(0)))
    );
    assert!(rows[3].occurrence.is_err(), "for two audiences at once");
    let aside = PutBack::Aside("no such type".to_owned());
    store.put_back(rows[1].id, 0, aside).await.unwrap();
    assert_eq!(outbox(&all, now).await.len(), 3);
}
