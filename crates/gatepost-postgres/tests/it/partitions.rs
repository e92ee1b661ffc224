//! Deletion of the log by partitions, which keeps deliveries that have not ended.

use chrono::{DateTime, Utc};
use gatepost_postgres::{PostgresConfig, PostgresStore};
use gatepost_storage::Page;
use gatepost_storage::webhooks::*;
use gatepost_testkit::fixtures::{
    at, direct, keep_all, message, queue_claim, settlement, stored_webhook,
};
use tokio_postgres::{Client, NoTls};
use webhook_model::WebhookId;

use crate::common::{fresh_at, raw, rows};
use crate::postgres::FreshSchema;

async fn store(store: &PostgresStore, hook: WebhookId, id: &str, created: i64) -> DeliveryId {
    let batch = direct(vec![message(hook, id, at(created))]);
    match store.enqueue(batch, at(created)).await.unwrap() {
        Enqueued::Stored { deliveries, .. } => deliveries[0].id,
        other => panic!("{other:?}"),
    }
}

async fn claim(store: &PostgresStore, hook: WebhookId, now: i64) -> Claimed {
    claim_of(store, hook, QueueClass::First, now).await
}

async fn claim_of(store: &PostgresStore, hook: WebhookId, class: QueueClass, now: i64) -> Claimed {
    let one = QueueClaim {
        limit: 1,
        ..queue_claim(hook, class)
    };
    let claimed = store.claim(&[one], at(now + 10_000), at(now)).await;
    claimed.unwrap().into_iter().next().unwrap()
}

async fn settle(store: &PostgresStore, claimed: &Claimed, disposition: Disposition, now: i64) {
    let settlement = settlement(claimed, disposition);
    let settled = store.settle(vec![settlement], at(now)).await.unwrap();
    assert_eq!(settled, [Settled::Done]);
}

/// Stores, claims and settles a delivery.
async fn ended(store: &PostgresStore, hook: WebhookId, id: &str, now: i64) -> DeliveryId {
    let id = self::store(store, hook, id, now).await;
    let claimed = claim(store, hook, now).await;
    assert_eq!(claimed.delivery.id, id);
    settle(store, &claimed, Disposition::Sent, now).await;
    id
}

/// Sets the number of the next delivery.
async fn jump(client: &Client, next: i64) {
    let set = format!("SELECT setval('gatepost_delivery_id_seq', {next}, false)");
    client.batch_execute(&set).await.unwrap();
}

async fn listed(store: &PostgresStore) -> Vec<DeliveryId> {
    let page = Page::first(99);
    let found = store.list_deliveries(&DeliveryQuery::all(page)).await;
    found.unwrap().into_iter().map(|d| d.id).collect()
}

fn before(time: DateTime<Utc>) -> PurgeBounds {
    PurgeBounds {
        created_before: time,
        ..keep_all()
    }
}

async fn purge(store: &PostgresStore, bounds: &PurgeBounds) {
    for _ in 0..100 {
        if !store.purge(bounds, 100, at(0)).await.unwrap().more {
            return;
        }
    }
    panic!("there is always more");
}

async fn parts(client: &Client) -> Vec<i64> {
    let rows = client
        .query("SELECT first FROM gatepost_part ORDER BY first", &[])
        .await
        .unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

#[tokio::test]
async fn open_deliveries_survive_drop_of_their_partition() {
    let (store, _, place) = fresh_at().await;
    let client = raw(&place).await;
    let hook = stored_webhook(&store, "w").await;
    let sent = ended(&store, hook, "sent", 0).await;
    let runs = self::store(&store, hook, "runs", 1).await;
    let running = claim(&store, hook, 1).await;
    let waits = self::store(&store, hook, "waits", 2).await;
    jump(&client, 1_000_000).await;
    let new = self::store(&store, hook, "new", 1_000).await;
    assert_eq!(store.prepare_log(at(1_000)).await.unwrap().ahead, Some(2));
    purge(&store, &before(at(500))).await;
    assert_eq!(parts(&client).await, [1_000_000, 2_000_000, 3_000_000]);
    assert_eq!(rows(&client, "gatepost_delivery_old").await, 2);
    assert_eq!(listed(&store).await, [runs, waits, new]);
    assert_eq!(store.delivery(sent).await.unwrap(), None);
    assert_eq!(store.attempts(sent, 99).await.unwrap(), []);

    // A retry, a release of an earlier claim, and an end, as if the partition still existed.
    settle(
        &store,
        &running,
        Disposition::Retry { due: at(1_001) },
        1_000,
    )
    .await;
    let claimed = claim(&store, hook, 1_001).await;
    assert_eq!(claimed.delivery.id, waits);
    settle(&store, &claimed, Disposition::Failed, 1_001).await;
    let claimed = claim(&store, hook, 1_002).await;
    assert_eq!((claimed.delivery.id, claimed.delivery.attempts), (new, 0));
    settle(&store, &claimed, Disposition::Sent, 1_002).await;
    let claimed = claim_of(&store, hook, QueueClass::Retry, 1_002).await;
    assert_eq!((claimed.delivery.id, claimed.delivery.attempts), (runs, 1));
    settle(&store, &claimed, Disposition::Sent, 1_002).await;
    assert_eq!(
        listed(&store).await,
        [new],
        "what is old and ended now is not shown"
    );
    purge(&store, &before(at(500))).await;
    for table in ["gatepost_delivery_old", "gatepost_outcome_old"] {
        assert_eq!(rows(&client, table).await, 0, "{table}");
    }
    assert_eq!(rows(&client, "gatepost_outcome").await, 1);
}

/// Otherwise a delivery that was sent before its process ended is sent again.
#[tokio::test]
async fn ended_delivery_is_not_reclaimed_after_partition_drop() {
    let (store, _, place) = fresh_at().await;
    let client = raw(&place).await;
    let hook = stored_webhook(&store, "w").await;
    let both = ["sent", "runs"].map(|id| message(hook, id, at(0)));
    store.enqueue(direct(both.into()), at(0)).await.unwrap();
    let two = QueueClaim {
        limit: 2,
        ..queue_claim(hook, QueueClass::First)
    };
    let claimed = store.claim(&[two], at(10), at(0)).await.unwrap();
    assert_eq!(claimed[0].token, claimed[1].token, "of one claim");
    settle(&store, &claimed[0], Disposition::Sent, 1).await;
    jump(&client, 1_000_000).await;
    self::store(&store, hook, "new", 1_000).await;
    store.prepare_log(at(1_000)).await.unwrap();
    purge(&store, &before(at(500))).await;
    assert_eq!(rows(&client, "gatepost_delivery_old").await, 2);
    let taken = store.reclaim(100, at(2_000)).await.unwrap();
    assert_eq!(taken.requeued, 1, "{taken:?}");
    let sent = claimed[0].delivery.id;
    let queued = client.query("SELECT id FROM gatepost_queue ORDER BY id LIMIT 1", &[]);
    let queued: i64 = queued.await.unwrap()[0].get(0);
    assert_ne!(queued, sent.0);
}

#[tokio::test]
async fn deliveries_past_last_partition_are_stored_and_purged() {
    let (store, _, place) = fresh_at().await;
    let client = raw(&place).await;
    let hook = stored_webhook(&store, "w").await;
    jump(&client, 7_000_000).await;
    let past = ended(&store, hook, "past", 0).await;
    let waits = self::store(&store, hook, "waits", 1).await;
    assert_eq!(rows(&client, "gatepost_delivery_default").await, 2);
    assert_eq!(listed(&store).await, [past, waits]);
    assert_eq!(store.attempts(past, 99).await.unwrap().len(), 1);
    let room = store.prepare_log(at(1)).await.unwrap();
    assert_eq!(room.ahead, Some(2));
    let last = *parts(&client).await.last().unwrap();
    jump(&client, last).await;
    let new = self::store(&store, hook, "new", 1_000).await;
    assert_eq!(
        rows(&client, "gatepost_delivery_default").await,
        2,
        "not there"
    );
    purge(&store, &before(at(500))).await;
    assert_eq!(listed(&store).await, [waits, new]);
    let left = rows(&client, "gatepost_delivery_default").await
        + rows(&client, "gatepost_delivery_old").await;
    assert_eq!(left, 1, "what waits");
    assert_eq!(rows(&client, "gatepost_outcome").await, 0);
}

#[tokio::test]
async fn log_reader_delays_partition_drop_but_no_writes() {
    let (store, _, place) = fresh_at().await;
    let (client, reader) = (raw(&place).await, raw(&place).await);
    let hook = stored_webhook(&store, "w").await;
    ended(&store, hook, "old", 0).await;
    jump(&client, 1_000_000).await;
    ended(&store, hook, "new", 1_000).await;
    store.prepare_log(at(1_000)).await.unwrap();
    let read = "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM gatepost_delivery";
    reader.batch_execute(read).await.unwrap();
    let whole = parts(&client).await;
    purge(&store, &before(at(500))).await;
    assert_eq!(parts(&client).await, whole, "put off");
    ended(&store, hook, "meanwhile", 1_001).await;
    assert_eq!(listed(&store).await.len(), 2, "hidden all the same");
    reader.batch_execute("COMMIT").await.unwrap();
    purge(&store, &before(at(500))).await;
    assert_eq!(parts(&client).await, whole[1..]);
}

/// Returns the URL of a role that may read and write existing tables, and define none.
async fn plain_role(owner: &Client, place: &FreshSchema) -> String {
    let (schema, role) = (&place.schema, format!("{}_app", place.schema));
    let grants = format!(
        "CREATE ROLE {role} LOGIN; GRANT USAGE ON SCHEMA {schema} TO {role};
         GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role};
         GRANT SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA {schema} TO {role}"
    );
    owner.batch_execute(&grants).await.unwrap();
    let (_, server) = place.url.split_once('@').unwrap();
    let url = format!("postgres://{role}@{server}");
    let (plain, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
    tokio::spawn(connection);
    let define = format!("CREATE TABLE {schema}.own ()");
    plain.batch_execute(&define).await.unwrap_err();
    url
}

#[tokio::test]
async fn role_without_ddl_deletes_rows_instead_of_partitions() {
    let (made, _, place) = fresh_at().await;
    made.close().await;
    let client = raw(&place).await;
    let config = PostgresConfig::url(&plain_role(&client, &place).await)
        .with_schema(&place.schema)
        .with_ddl(false);
    let store = PostgresStore::connect(config).await.unwrap();
    let hook = stored_webhook(&store, "w").await;
    ended(&store, hook, "old", 0).await;
    let waits = self::store(&store, hook, "waits", 1).await;
    jump(&client, 9_000_000).await;
    let new = self::store(&store, hook, "new", 1_000).await;
    let whole = parts(&client).await;
    assert_eq!(store.prepare_log(at(1_000)).await.unwrap().ahead, None);
    purge(&store, &before(at(500))).await;
    assert_eq!(parts(&client).await, whole);
    assert_eq!(listed(&store).await, [waits, new]);
    assert_eq!(rows(&client, "gatepost_delivery").await, 2);
    assert_eq!(rows(&client, "gatepost_outcome").await, 0);
}

#[tokio::test]
async fn waiting_delivery_before_partitions_is_listed_and_expires() {
    let (store, _, place) = fresh_at().await;
    let client = raw(&place).await;
    let hook = stored_webhook(&store, "w").await;
    let waits = self::store(&store, hook, "waits", 0).await;
    jump(&client, 1_000_000).await;
    self::store(&store, hook, "new", 1_000).await;
    store.prepare_log(at(1_000)).await.unwrap();
    purge(&store, &before(at(500))).await;
    assert_eq!(rows(&client, "gatepost_delivery_old").await, 1);
    let query = DeliveryQuery {
        created_before: Some(at(500)),
        ..DeliveryQuery::all(Page::first(9))
    };
    let found = store.list_deliveries(&query).await.unwrap();
    assert_eq!(found.iter().map(|row| row.id).collect::<Vec<_>>(), [waits]);
    let paused = "UPDATE gatepost_webhook SET activity = 'paused'";
    client.batch_execute(paused).await.unwrap();
    let expired = store.expire_held(at(500), 9, at(1_001)).await;
    assert_eq!(expired.unwrap(), 1);
}
