//! Every statement uses its index, however many rows others have.

use gatepost_ids::Realm;
use gatepost_postgres::{PostgresConfig, PostgresStore};
use gatepost_storage::KeyStore as _;
use gatepost_storage::webhooks::*;
use gatepost_testkit::fixtures::{UNLIMITED, at, direct, key, message, settlement_of, webhook};
use tokio_postgres::Client;
use webhook_model::{OwnerId, Webhook};

use crate::common::{CLAIM, DUE_LANES, LANES_OF, fresh_at, queue, raw};
use crate::postgres;

const ANALYZE: &str = "ANALYZE gatepost_delivery, gatepost_outcome, gatepost_queue, gatepost_running, gatepost_webhook, \
     gatepost_owner, gatepost_seen, gatepost_place, gatepost_task, gatepost_event, gatepost_key";

/// The statements that run for every delivery, each with the index that it must use.
const HOT: &[(&str, &str, &[&str])] = &[
    (
        "claim",
        CLAIM,
        &[
            "gatepost_queue_class",
            "gatepost_queue_of_webhook",
            "gatepost_running_in_order",
            "gatepost_delivery_0_pkey",
        ],
    ),
    (
        "due_queues",
        DUE_LANES,
        &["gatepost_queue_due", "gatepost_queue_class"],
    ),
    (
        "queues_of",
        LANES_OF,
        &["gatepost_queue_due", "gatepost_queue_class"],
    ),
    (
        "sweep_queues",
        queue!(
            "sweep_queues",
            "mixed",
            "claimable",
            "idle",
            "claimable_end",
            "found"
        ),
        &["gatepost_queue_class"],
    ),
    (
        "acknowledge",
        concat!(
            include_str!("../../src/sql/log/waiting.sql"),
            include_str!("../../src/sql/log/fetched.sql"),
            include_str!("../../src/sql/log/changed.sql")
        ),
        &["gatepost_queue_pkey", "gatepost_delivery_0_pkey"],
    ),
    (
        "reclaim_pick",
        queue!("reclaim_pick"),
        &["gatepost_running_ends"],
    ),
    (
        "reclaim",
        queue!("reclaim"),
        &[
            "gatepost_running_pkey",
            "gatepost_delivery_0_pkey",
            "gatepost_outcome_0_pkey",
        ],
    ),
    (
        "settle_sent",
        queue!("settle_held", "settle_sent", "close"),
        &["gatepost_running_pkey"],
    ),
    (
        "settle",
        queue!("settle_held", "settle", "close"),
        &[
            "gatepost_running_pkey",
            "gatepost_delivery_0_pkey",
            "gatepost_outcome_0_pkey",
        ],
    ),
    ("settled", queue!("settled"), &["gatepost_outcome_0_pkey"]),
    ("last", queue!("last"), &["gatepost_outcome_0_pkey"]),
    (
        "enqueue",
        queue!("enqueue"),
        &[
            "gatepost_seen_pkey",
            "gatepost_webhook_pkey",
            "gatepost_owner_pkey",
            "gatepost_place_pkey",
        ],
    ),
    (
        "key_uses",
        include_str!("../../src/sql/keys/uses.sql"),
        &["gatepost_key_use_pkey", "gatepost_key_pkey"],
    ),
    (
        "expiring",
        concat!(
            "SELECT r.id ",
            include_str!("../../src/sql/keys/expiring.sql")
        ),
        &["gatepost_key_expires"],
    ),
    (
        "add_uses",
        include_str!("../../src/sql/keys/add_uses.sql"),
        &["gatepost_key_pkey", "gatepost_key_use_pkey"],
    ),
    (
        "enqueue_plain",
        queue!("enqueue_plain", "plain_queued", "plain_leased"),
        &[
            "gatepost_webhook_pkey",
            "gatepost_owner_pkey",
            "gatepost_place_pkey",
        ],
    ),
    (
        "try_webhooks",
        include_str!("../../src/sql/place/try_webhooks.sql"),
        &["gatepost_webhook_pkey"],
    ),
    (
        "try_all",
        concat!(
            include_str!("../../src/sql/place/needed.sql"),
            include_str!("../../src/sql/place/try_all.sql"),
        ),
        &["gatepost_webhook_pkey", "gatepost_owner_pkey"],
    ),
];

async fn plan(client: &Client, sql: &str) -> String {
    let plan = client.query(&format!("EXPLAIN {sql}"), &[]).await.unwrap();
    let lines = plan.iter().map(|row| row.get::<_, &str>(0));
    lines.collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn hot_statements_use_their_index_among_many_rows() {
    let (store, _, place) = fresh_at().await;
    // With as many owners and lease ends as rows: from version 18 on an index is also searched by
    // its second column if the first has few values.
    let mut hooks = Vec::new();
    for n in 0..200 {
        let hook = Webhook {
            owner: OwnerId(n),
            ..webhook(&format!("w{n}"))
        };
        let row = store.insert_webhook(&hook, UNLIMITED, at(0)).await;
        hooks.push(row.unwrap().id);
    }
    for n in 0..200 {
        let new = key(n, &format!("k{n}"));
        store.insert_key(&new, u64::MAX).await.unwrap();
    }
    for batch in 0..400 {
        let leased = (0..10).map(|n| NewDelivery {
            lease_until: Some(at(60 + batch)),
            ..message(hooks[n * 20], &format!("m{batch}-{n}"), at(0))
        });
        let stored = store.enqueue(direct(leased.collect()), at(0)).await;
        let Ok(Enqueued::Stored { deliveries, .. }) = stored else {
            panic!("{stored:?}")
        };
        if batch % 4 == 0 {
            continue; // still running
        }
        let settle = deliveries.iter().map(|d| {
            let (delivery, token) = (d.id, d.token.unwrap());
            settlement_of(Claim { delivery, token }, Disposition::Sent)
        });
        store.settle(settle.collect(), at(1)).await.unwrap();
    }
    let waiting = (0..2000).map(|n| message(hooks[n % 200], &format!("q{n}"), at(0)));
    store
        .enqueue(direct(waiting.collect()), at(0))
        .await
        .unwrap();

    // With the settings of the store's connections, and the generic plan that a long-lived
    // statement ends with.
    let client = raw(&place).await;
    let set = "SET gatepost.reclaimed = '{}'; SET enable_seqscan = off; SET jit = off; SET plan_cache_mode = force_generic_plan";
    client.batch_execute(set).await.unwrap();
    let apart = "UPDATE gatepost_owner SET place = owner::text";
    client.batch_execute(apart).await.unwrap();
    client.batch_execute(ANALYZE).await.unwrap();
    let mut wrong = Vec::new();
    for (name, sql, indexes) in HOT {
        let count = (1..=50)
            .take_while(|n| sql.contains(&format!("${n}")))
            .count();
        let nulls = vec!["NULL"; count].join(", ");
        let sql = sql.replace(":schema.", "");
        client
            .batch_execute(&format!("PREPARE {name} AS {sql}"))
            .await
            .unwrap();
        let params = if count > 0 {
            format!("({nulls})")
        } else {
            nulls
        };
        let plan = plan(&client, &format!("EXECUTE {name} {params}")).await;
        for index in *indexes {
            if !plan.contains(&format!("using {index}"))
                && !plan.contains(&format!("Scan on {index}"))
            {
                wrong.push(format!("{name} without {index}:\n{plan}"));
            }
        }
        for table in ["delivery", "outcome", "queue"] {
            if plan.contains(&format!("Seq Scan on gatepost_{table}")) {
                wrong.push(format!("{name} reads all of {table}:\n{plan}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// The cost of a change of records depends on the changed rows: planning the statements that read
/// it would cost several times as much, in every process.
#[tokio::test]
async fn realm_changes_are_read_by_cached_plans() {
    let fresh = postgres::fresh();
    let config = PostgresConfig::url(&fresh.url)
        .with_schema(&fresh.schema)
        .with_max_connections(1);
    let store = PostgresStore::connect(config).await.unwrap();
    let client = raw(&fresh).await;
    // Only the connection itself knows its prepared statements and how often it planned them.
    let noted = format!("{}.noted", fresh.schema);
    let note = format!(
        "CREATE TABLE {noted} AS SELECT statement, generic_plans, custom_plans FROM pg_prepared_statements WITH NO DATA;
        CREATE FUNCTION {noted}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            INSERT INTO {noted} SELECT statement, generic_plans, custom_plans FROM pg_prepared_statements;
            RETURN NULL;
        END $$;
        CREATE TRIGGER noted AFTER INSERT ON gatepost_change FOR EACH STATEMENT EXECUTE FUNCTION {noted}()"
    );
    let mut version = RoutesVersion(0);
    for n in 0..4 {
        if n == 3 {
            client.batch_execute(&note).await.unwrap();
        }
        let hook = webhook(&format!("w{n}"));
        store.insert_webhook(&hook, UNLIMITED, at(0)).await.unwrap();
        let changes = store.route_changes(Realm::Shared, version).await.unwrap();
        version = changes.unwrap().version;
    }
    let plans = "SELECT count(*), sum(generic_plans)::bigint, sum(custom_plans)::bigint
        FROM noted WHERE statement LIKE '%WITH kept AS%'";
    let plans = client.query_one(plans, &[]).await.unwrap();
    let [statements, kept, made] = [0, 1, 2].map(|n| plans.get::<_, i64>(n));
    assert_eq!((statements, kept, made), (4, 12, 0));
}
