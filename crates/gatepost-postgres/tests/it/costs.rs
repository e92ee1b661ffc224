//! What a list, a replay or a turn of the outbox reads does not grow with what others have: counted
//! in pages of the database, among 120,000 deliveries in three partitions.

use std::fmt::Write as _;

use gatepost_ids::TenantId;
use gatepost_postgres::PostgresStore;
use gatepost_storage::webhooks::*;
use gatepost_storage::{Order, Page, Scope};
use gatepost_testkit::fixtures::{UNLIMITED, at, task, webhook_of};
use tokio_postgres::Client;
use webhook_model::{DeliveryOrder, OwnerId, TaskId, WebhookId};

use crate::common::{CLAIM, LANES_OF, fresh_at, pages, raw};
use crate::postgres::FreshSchema;
use crate::shown::shown;
use crate::source::{BEGIN, BEGIN_REPLAY, Key, Source, sources};

/// Half of all go to one webhook; each hundredth failed; the last 6,000 wait.
const FILL: &str = "
    INSERT INTO gatepost_delivery (id, webhook, owner, tenant, task, created, message_id, body)
    SELECT n * 20, w, w, 1 + w % 3, w, timestamptz '2026-01-01' + n * interval '1 second', 'msg_' || n, 'x'
    FROM (SELECT n, CASE WHEN n % 2 = 0 THEN 1 ELSE 1 + n / 2 % 20 END AS w FROM generate_series(1, 120000) AS n) s;
    INSERT INTO gatepost_outcome (delivery, token, webhook, owner, tenant, task, attempts, tries, state, lost, started, duration_us, class, status_info)
    SELECT id, id, CASE WHEN e THEN webhook END, CASE WHEN e THEN owner END, CASE WHEN e THEN tenant END, CASE WHEN e THEN task END,
        1, 1, CASE WHEN e THEN 3 ELSE 2 END, 0, created, 1, CASE WHEN e THEN 'timeout' ELSE 'ok' END, ''
    FROM (SELECT *, id / 20 % 101 = 0 AS e FROM gatepost_delivery WHERE id <= 114000 * 20) d;
    INSERT INTO gatepost_queue (id, webhook, due, tries, attempts, class, lost, marked)
    SELECT id, webhook, created, 0, 0, 0, 0, false FROM gatepost_delivery WHERE id > 114000 * 20;
    INSERT INTO gatepost_occurrence (event_type, event, tenant, due)
    SELECT 'vms', 'on', n, CASE WHEN n % 100 = 0 THEN 'epoch'::timestamptz ELSE 'infinity' END FROM generate_series(1, 10000) AS n;
    SELECT setval('gatepost_delivery_id_seq', 120000 * 20), setval('gatepost_claim', 120000 * 20)";
/// Claimed while a transaction was open that might have seen it: nobody may remove it.
const CLAIMED: &str = "
    INSERT INTO gatepost_queue (id, webhook, due, tries, attempts, class, lost, marked)
    SELECT 9000000 + n, 7, timestamptz '2025-12-01' + n * interval '1 ms', 0, 0, 0, 0, false FROM generate_series(1, 100000) AS n;
    DELETE FROM gatepost_queue WHERE id BETWEEN 9000001 AND 9099000";
/// Of the first owner 55,000 deliveries are hidden, with one in their midst that waits.
const HIDDEN: &str = "
    UPDATE gatepost_webhook SET floor = 110000 * 20 WHERE id = 1;
    INSERT INTO gatepost_queue (id, webhook, due, tries, attempts, class, lost, marked)
    VALUES (50000 * 20, 1, '2026-03-01', 0, 0, 0, 0, false)";
/// All is of the first user; the last one has a webhook with nothing, and one that is gone.
const ONE_USER: &str = "
    UPDATE gatepost_delivery SET webhook = 1, owner = 1, tenant = 1, task = 1;
    UPDATE gatepost_outcome SET webhook = 1, owner = 1, tenant = 1, task = 1 WHERE state = 3;
    UPDATE gatepost_webhook SET gone = true WHERE id = 19";
/// Whatever has ended has failed.
const FAILED: &str = "UPDATE gatepost_outcome SET state = 3, class = 'timeout'";
/// The owners are in three tenants, and all of the second is hidden as well, but for some of an
/// owner who went to another.
const PLACED: &str = "
    UPDATE gatepost_owner SET place = 'tenant:' || 1 + owner % 3, tenant = 1 + owner % 3, known = true;
    UPDATE gatepost_webhook SET floor = 110000 * 20 WHERE owner % 3 = 1;
    UPDATE gatepost_webhook SET floor = 109900 * 20 WHERE owner = 4;
    UPDATE gatepost_owner SET place = 'tenant:9', tenant = 9 WHERE owner = 4";
/// Others run 2,000; all webhooks have just become ones in order.
const RUNNING: &str = "
    INSERT INTO gatepost_running (id, lease_until, open, ids)
    SELECT 5000000, timestamptz '2026-03-01', 2000, array_agg(id) FROM (
        SELECT id FROM gatepost_delivery WHERE id <= 114000 * 20 ORDER BY id DESC LIMIT 2000) d;
    UPDATE gatepost_webhook SET in_order = true, ordered_after = 6000000";
const REPLAY_FAILED: &str = concat!(
    include_str!("../../src/sql/log/replay_failed.sql"),
    include_str!("../../src/sql/log/replay_lock.sql")
);
/// 2,000 run that were claimed together, 50 of them of the last webhook.
const SHARED: &str = "
    INSERT INTO gatepost_running (id, lease_until, open, ids)
    SELECT 2000000, timestamptz '2026-03-01', 2000, array_agg(id) FROM (
        SELECT id FROM gatepost_delivery WHERE id <= 114000 * 20 ORDER BY id DESC LIMIT 2000) d";
const SET: &str =
    "SET enable_seqscan = off; SET jit = off; SET plan_cache_mode = force_generic_plan;
    SET gatepost.picked = '{}'";

async fn filled() -> (Client, (PostgresStore, FreshSchema)) {
    let (store, _, place) = fresh_at().await;
    for owner in 1..=20 {
        let hook = webhook_of(owner, "w");
        store.insert_webhook(&hook, UNLIMITED, at(0)).await.unwrap();
    }
    let client = raw(&place).await;
    client.batch_execute(FILL).await.unwrap();
    client.batch_execute("ANALYZE").await.unwrap();
    client.batch_execute(SET).await.unwrap();
    (client, (store, place))
}

fn queries() -> Vec<DeliveryQuery> {
    use DeliveryState::*;
    let mut queries = Vec::new();
    for order in [Order::Ascending, Order::Descending] {
        let all = DeliveryQuery::all(Page {
            order,
            ..Page::first(50)
        });
        let scopes = [
            Scope::All,
            Scope::Owner(OwnerId(7)),
            Scope::Tenant(TenantId(2)),
        ];
        for scope in scopes {
            queries.push(DeliveryQuery {
                scope,
                ..all.clone()
            });
        }
        for hook in [1, 7] {
            queries.push(DeliveryQuery {
                webhook: Some(WebhookId(hook)),
                ..all.clone()
            });
            queries.push(DeliveryQuery {
                task: Some(TaskId(hook)),
                ..all.clone()
            });
        }
    }
    let states = [vec![], vec![Queued], vec![Running], vec![Error], vec![Sent]];
    let mut each = Vec::new();
    for query in queries {
        for states in &states {
            each.push(DeliveryQuery {
                states: states.clone(),
                ..query.clone()
            });
        }
        each.push(DeliveryQuery {
            class: Some("timeout".to_owned()),
            ..query
        });
    }
    each
}

#[tokio::test]
async fn the_ids_of_a_page_are_found_among_many() {
    let (client, _store) = filled().await;
    let whole = pages(&client, "SELECT count(created) FROM gatepost_delivery", "").await;
    assert!(whole > 1_000, "{whole} pages of all: nothing is proved");
    as_a_list(&client).await;
    let mut worst = String::new();
    for query in queries() {
        let key = Key::of(&query);
        for source in sources(&query) {
            let value = key.value().map(|id| format!(", {id}")).unwrap_or_default();
            // From where something waits, as the store asks for a task.
            let low = if query.states == [DeliveryState::Queued] {
                114_000 * 20
            } else {
                0
            };
            let params = format!("{low}, {}, 54{value}", i64::MAX);
            let pages = pages(&client, &source.sql(key, query.page.order), &params).await;
            // What was sent, newest first, lies behind what waits.
            let most = match query.states.as_slice() {
                [DeliveryState::Sent] => 20_000,
                _ => 400,
            };
            if pages > most {
                writeln!(
                    worst,
                    "{pages} pages: {source:?} {key:?} {:?}",
                    query.page.order
                )
                .unwrap();
            }
        }
    }
    assert_eq!(worst, "");
}

/// Who has nothing among what one user alone was sent: it seems as if the next row of any key were
/// the next row.
#[tokio::test]
async fn who_has_nothing_does_not_look_through_what_another_has() {
    let (client, _store) = filled().await;
    client.batch_execute(ONE_USER).await.unwrap();
    client.batch_execute("VACUUM ANALYZE").await.unwrap();
    let mut worst = String::new();
    for query in queries().iter().filter(|query| Key::of(query) != Key::All) {
        let (key, order) = (Key::of(query), query.page.order);
        let key = match key {
            Key::Webhook(_) => Key::Webhook(20),
            Key::Task(_) => Key::Task(20),
            Key::Owner(_) => Key::Owner(20),
            _ => Key::Tenant(20),
        };
        as_a_list(&client).await;
        for source in sources(query) {
            if matches!(source, Source::Log { .. } | Source::Failed) {
                let params = format!("0, {}, 54, 20", i64::MAX);
                let pages = pages(&client, &source.sql(key, order), &params).await;
                if pages > 100 {
                    writeln!(worst, "{pages} pages: {source:?} {key:?} {order:?}").unwrap();
                }
            }
        }
        leaps(&client, Key::Owner(20), 100).await;
    }
    client.batch_execute("RESET enable_sort").await.unwrap();
    for (name, sql, params) in [
        (
            "floors",
            include_str!("../../src/sql/log/floors.sql"),
            "50, '{20}'",
        ),
        ("last", include_str!("../../src/sql/gone/last.sql"), "50"),
        (
            "gone",
            include_str!("../../src/sql/gone/deliveries.sql"),
            "50",
        ),
    ] {
        let pages = pages(&client, sql, params).await;
        if pages > 300 {
            writeln!(worst, "{pages} pages: {name}").unwrap();
        }
    }
    assert_eq!(worst, "");
}

/// Where all has failed, it seems as if few rows were read by their time.
#[tokio::test]
async fn nor_does_a_replay_where_all_has_failed() {
    let (client, _store) = filled().await;
    begun(&client, BEGIN_REPLAY).await;
    let span = "50, '2026-01-01', '2027-02-01', 0, 999999999";
    let some = pages(&client, REPLAY_FAILED, &format!("7, {span}")).await;
    assert!(some < 3_000, "{some} pages");
    for sql in [FAILED, ONE_USER, "VACUUM ANALYZE"] {
        client.batch_execute(sql).await.unwrap();
    }
    let none = pages(&client, REPLAY_FAILED, &format!("20, {span}")).await;
    assert!(none < 300, "{none} pages");
}

#[tokio::test]
async fn the_other_statements_read_what_they_are_asked_for() {
    let (client, _store) = filled().await;
    // Of webhook 3 what has ended is hidden, but for the newest.
    let hidden = "UPDATE gatepost_webhook SET floor = 113900 * 20 WHERE id = 3";
    client.batch_execute(hidden).await.unwrap();
    let ids: Vec<String> = (1_000..1_050).map(|n| (n * 20).to_string()).collect();
    let ids = format!("'{{{}}}'", ids.join(","));
    macro_rules! log {
        ($($part:literal),+) => {
            concat!($(include_str!(concat!("../../src/sql/", $part, ".sql"))),+)
        };
    }
    // What ends without an attempt is logged and counted.
    macro_rules! ended {
        ($what:literal) => {
            concat!(
                log!($what),
                ", logged AS (",
                log!("log/ended"),
                "RETURNING webhook)",
                log!("log/count_ended")
            )
        };
    }
    let mut worst = String::new();
    for (name, sql, params, most) in [
        ("states", log!("log/states"), ids.as_str(), 2_000),
        ("rows", log!("log/rows"), &format!("{ids}, true"), 3_000),
        ("sizes", log!("log/sizes"), &ids, 2_000),
        ("attempts", log!("log/attempts"), "20000, 50", 60),
        ("recount", log!("log/recount"), "3", 4_000),
        ("bound", log!("log/bound"), "'2026-01-01 10:00'", 400),
        (
            "replay_ids",
            log!("log/replay_ids", "log/replay_lock"),
            &format!("{ids}, 50"),
            3_000,
        ),
        ("replay", log!("log/replay"), "now()", 60),
        (
            "cancel",
            ended!("log/cancel"),
            "'{2390000,2390020}', 'no', now()",
            300,
        ),
        (
            "expire",
            ended!("log/expire_held"),
            "now(), 'no', now(), 50, 999999999",
            100,
        ),
        ("delete_pick", log!("log/delete_pick"), "20000", 60),
        ("delete", log!("log/delete"), "", 60),
        ("queue_stats", log!("log/queue_stats"), "", 20),
        ("forget_old", log!("log/forget_old"), "50", 60),
        (
            "forget_default",
            log!("log/forget_default"),
            "50, 999999999",
            60,
        ),
        ("forget_seen", log!("log/forget_seen"), "50, now()", 60),
        ("forget_counts", log!("log/forget_counts"), "50, now()", 60),
        (
            "forget_dropped",
            log!("log/forget_dropped"),
            "50, now()",
            60,
        ),
        (
            "waits",
            log!("outbox/waits", "outbox/arrived", "outbox/waits_end"),
            "'me', now()",
            20,
        ),
        ("promote", log!("outbox/promote"), "now()", 60),
        ("take", log!("outbox/take"), "'me', 50, now(), now()", 60),
        ("give_back", log!("outbox/give_back"), "7, 0, 'me'", 60),
    ] {
        let pages = pages(&client, sql, params).await;
        if pages > most {
            writeln!(worst, "{pages} pages: {name}").unwrap();
        }
    }
    assert_eq!(worst, "");
    // What arrived is looked at once.
    let look = log!("outbox/look", "outbox/arrived", "outbox/look_end").replace(":schema.", "");
    let first = pages(
        &client,
        log!("outbox/look", "outbox/arrived", "outbox/look_end"),
        "",
    )
    .await;
    assert!(
        first < 15_000,
        "{first} pages: the first look at 10,000 audiences"
    );
    for _ in 0..10_000 / 2_000 + 1 {
        client.batch_execute(&look).await.unwrap();
    }
    for (name, sql, params) in [
        (
            "waits",
            log!("outbox/waits", "outbox/arrived", "outbox/waits_end"),
            "'me', now()",
        ),
        (
            "look",
            log!("outbox/look", "outbox/arrived", "outbox/look_end"),
            "",
        ),
        ("promote", log!("outbox/promote"), "now()"),
        ("take", log!("outbox/take"), "'me', 50, now(), now()"),
        ("give_back", log!("outbox/give_back"), "100, 0, 'me'"),
    ] {
        let pages = pages(&client, sql, params).await;
        assert!(pages < 1_000, "{pages} pages: {name}");
        if name == "promote" {
            client
                .batch_execute("UPDATE gatepost_outbox_turn SET ready = true WHERE due < now()")
                .await
                .unwrap();
        }
    }
}

#[tokio::test]
async fn a_claim_that_begins_where_the_last_one_ended_does_not_walk_over_what_was_claimed() {
    let (client, (_store, place)) = filled().await;
    let reader = raw(&place).await;
    reader
        .batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM gatepost_queue")
        .await
        .unwrap();
    client.batch_execute(CLAIMED).await.unwrap();
    client
        .batch_execute("VACUUM ANALYZE gatepost_queue")
        .await
        .unwrap();
    let last = "timestamptz '2025-12-01' + 98900 * interval '1 ms'";
    let lease = "'2026-03-01', '2026-03-01'";
    for (name, sql, whole, since) in [
        (
            "claim",
            CLAIM,
            format!("'{{7}}', '{{0}}', '{{16}}', '{{NULL}}', {lease}"),
            format!("'{{7}}', '{{0}}', '{{16}}', ARRAY[{last}], {lease}"),
        ),
        (
            "lanes_of",
            LANES_OF,
            "'2026-03-01', '{7}', '{0}', '{NULL}'".to_owned(),
            format!("'2026-03-01', '{{7}}', '{{0}}', ARRAY[{last}]"),
        ),
    ] {
        let whole = pages(&client, sql, &whole).await;
        let since = pages(&client, sql, &since).await;
        assert!(whole > 1_000, "{name}: {whole} pages: nothing is proved");
        assert!(since < 400, "{name}: {since} pages");
    }
}

#[tokio::test]
async fn what_runs_is_looked_at_once_for_all_lanes_in_order() {
    let (client, (_store, _place)) = filled().await;
    client.batch_execute(RUNNING).await.unwrap();
    client.batch_execute("ANALYZE").await.unwrap();
    let mut counted = Vec::new();
    for hooks in [1, 20] {
        let ids: Vec<String> = (1..=hooks).map(|id| id.to_string()).collect();
        let all = |what: &str| vec![what; ids.len()].join(",");
        let params = format!(
            "'{{{}}}', '{{{}}}', '{{{}}}', '{{{}}}', '2026-03-01', '2026-03-01'",
            ids.join(","),
            all("0"),
            all("1"),
            all("NULL")
        );
        counted.push(pages(&client, CLAIM, &params).await);
    }
    assert!(counted[0] > 1_000, "{counted:?}: nothing is proved");
    assert!(counted[1] < counted[0] * 2, "{counted:?}");
}

#[tokio::test]
async fn what_others_run_is_not_looked_at_again_for_a_webhook_that_has_become_one_in_order() {
    let (client, (store, _place)) = filled().await;
    client.batch_execute(SHARED).await.unwrap();
    client.batch_execute("ANALYZE").await.unwrap();
    let mut hook = store.webhook(WebhookId(20)).await.unwrap().unwrap();
    hook.value.order = DeliveryOrder::InOrder;
    let edited = store.update_webhook(&hook, UNLIMITED, at(0)).await;
    edited.unwrap();
    let noted = "SELECT cardinality(beside) FROM gatepost_webhook WHERE id = 20";
    let noted: i32 = client.query_one(noted, &[]).await.unwrap().get(0);
    assert_eq!(noted, 50);
    let params = "'{20}', '{0}', '{1}', '{NULL}', '2026-03-01', '2026-03-01'";
    let read = pages(&client, CLAIM, params).await;
    assert!(read < 1_000, "{read} pages");
}

/// As in the transaction of a list.
async fn as_a_list(client: &Client) {
    begun(client, BEGIN).await;
}

/// As in a transaction that begins so.
async fn begun(client: &Client, begin: &str) {
    let (_, setting) = begin.split_once("SET LOCAL").unwrap();
    client
        .batch_execute(&format!("SET {setting}"))
        .await
        .unwrap();
}

/// What is looked at to leap in either order.
async fn leaps(client: &Client, key: Key, most: u64) {
    as_a_list(client).await;
    for (order, span) in [
        (Order::Ascending, "1, 9999999"),
        (Order::Descending, "1, 2000000"),
    ] {
        let params = format!("{span}, {}, 0", key.value().unwrap());
        let read = pages(client, &shown(key, order).unwrap(), &params).await;
        assert!(read < most, "{read} pages: {key:?} {order:?}");
    }
}

/// Which ones are listed, by their numbers in `FILL`.
async fn ids(store: &PostgresStore, query: &DeliveryQuery) -> Vec<i64> {
    let found = store.list_deliveries(query).await.unwrap();
    found.iter().map(|row| row.id.0 / 20).collect()
}

#[tokio::test]
async fn a_list_does_not_walk_over_what_is_hidden() {
    let (client, (store, _place)) = filled().await;
    client.batch_execute(HIDDEN).await.unwrap();
    client.batch_execute("ANALYZE").await.unwrap();
    leaps(&client, Key::Owner(1), 100).await;
    let listed = async |order, after: Option<i64>| {
        let page = Page {
            order,
            after: after.map(DeliveryId),
            ..Page::first(3)
        };
        let query = DeliveryQuery {
            scope: Scope::Owner(OwnerId(1)),
            ..DeliveryQuery::all(page)
        };
        ids(&store, &query).await
    };
    let waits = 50_000;
    assert_eq!(
        listed(Order::Ascending, None).await,
        [waits, 110_001, 110_002]
    );
    assert_eq!(
        listed(Order::Ascending, Some(waits * 20)).await,
        [110_001, 110_002, 110_004]
    );
    assert_eq!(
        listed(Order::Descending, Some(110_002 * 20)).await,
        [110_001, waits]
    );
}

#[tokio::test]
async fn nor_does_one_of_a_tenant_from_which_an_owner_went() {
    let (client, (store, _place)) = filled().await;
    client.batch_execute(HIDDEN).await.unwrap();
    client.batch_execute(PLACED).await.unwrap();
    client.batch_execute("ANALYZE").await.unwrap();
    leaps(&client, Key::Tenant(2), 400).await;
    let query = |order, limit| DeliveryQuery {
        scope: Scope::Tenant(TenantId(2)),
        ..DeliveryQuery::all(Page {
            order,
            ..Page::first(limit)
        })
    };
    let first = [50_000, 109_927, 109_967, 110_001, 110_002];
    assert_eq!(ids(&store, &query(Order::Ascending, 5)).await, first);
    let mut all = ids(&store, &query(Order::Descending, 10_000)).await;
    all.reverse();
    assert_eq!(all[..5], first);
    // What was replayed after its owner left waits in that tenant.
    let replayed =
        "INSERT INTO gatepost_queue (id, webhook, due, tries, attempts, class, lost, marked)
        VALUES (109967 * 20, 4, '2026-03-01', 0, 0, 0, 0, false)";
    client.batch_execute(replayed).await.unwrap();
    let waits = DeliveryQuery {
        states: vec![DeliveryState::Queued],
        ..query(Order::Ascending, 5)
    };
    assert_eq!(ids(&store, &waits).await[..2], [50_000, 109_967]);
    // Of one who was in more tenants than are kept, everything is looked at.
    let many = "UPDATE gatepost_owner SET left_tenants = NULL WHERE owner = 4";
    client.batch_execute(many).await.unwrap();
    assert_eq!(ids(&store, &query(Order::Ascending, 5)).await, first);
    // What was stored before moves were noted is looked at as well.
    let all = "UPDATE gatepost_owner SET left_tenants = '{}' WHERE owner = 4;
        UPDATE gatepost_kept SET left_from = 120000 * 20";
    client.batch_execute(all).await.unwrap();
    assert_eq!(ids(&store, &query(Order::Ascending, 5)).await, first);
    let newest = ids(&store, &query(Order::Descending, 10_000)).await;
    assert_eq!(newest.last(), Some(&50_000));
}

#[tokio::test]
async fn nor_does_one_of_a_task_that_had_another_webhook() {
    let (client, (store, _place)) = filled().await;
    let task = task(WebhookId(1));
    let row = store.insert_task(&task, UNLIMITED, at(0)).await.unwrap();
    assert_eq!(row.id, TaskId(1));
    client.batch_execute(HIDDEN).await.unwrap();
    client.batch_execute("ANALYZE").await.unwrap();
    let listed = async |task| {
        let query = DeliveryQuery {
            task: Some(TaskId(task)),
            ..DeliveryQuery::all(Page::first(3))
        };
        ids(&store, &query).await
    };
    let shown = [50_000, 110_001, 110_002];
    assert_eq!(listed(1).await, shown);
    for webhook in [2, 3, 1, 2] {
        let edit = format!("UPDATE gatepost_task SET webhook = {webhook} WHERE id = 1");
        client.batch_execute(&edit).await.unwrap();
    }
    leaps(&client, Key::Task(1), 100).await;
    assert_eq!(listed(1).await, shown);
    let left = "SELECT left_webhooks FROM gatepost_task";
    let left: Vec<i64> = client.query_one(left, &[]).await.unwrap().get(0);
    assert_eq!(left, [1, 2, 3]);
    let others = (4..=20).map(|webhook| format!("UPDATE gatepost_task SET webhook = {webhook};"));
    client
        .batch_execute(&others.collect::<String>())
        .await
        .unwrap();
    assert_eq!(listed(1).await, shown, "more than are kept");
    client
        .batch_execute("DELETE FROM gatepost_task")
        .await
        .unwrap();
    assert_eq!(listed(1).await, shown, "a task that is gone");
}

#[tokio::test]
async fn nor_does_one_over_what_is_too_old_or_of_a_webhook_that_is_gone() {
    let (client, (store, _place)) = filled().await;
    client.batch_execute("ANALYZE").await.unwrap();
    as_a_list(&client).await;
    let query = DeliveryQuery {
        scope: Scope::Owner(OwnerId(7)),
        ..DeliveryQuery::all(Page::first(1))
    };
    // The first row of the owner is the 13th, and then each 40th; the 115,013th is of 2026-01-02.
    let old = "UPDATE gatepost_kept SET created_before = timestamptz '2026-01-01' + 110000 * interval '1 second'";
    client.batch_execute(old).await.unwrap();
    assert_eq!(ids(&store, &query).await, [110_013]);
    let first = async |old: i64| {
        let sql = shown(Key::Owner(7), Order::Ascending).unwrap();
        let sql = format!("PREPARE first AS {}", sql.replace(":schema.", ""));
        client.batch_execute(&sql).await.unwrap();
        let asked = format!("EXECUTE first (0, 9999999, 7, {old})");
        let first = client.query_one(&asked, &[]).await.unwrap();
        client.batch_execute("DEALLOCATE first").await.unwrap();
        first.get::<_, Option<i64>>(0).map(|id| id / 20)
    };
    assert_eq!(first(109_999 * 20).await, Some(110_013));
    let gone = "UPDATE gatepost_webhook SET gone = true WHERE id = 7; DELETE FROM gatepost_queue WHERE webhook = 7";
    client.batch_execute(gone).await.unwrap();
    assert_eq!(first(0).await, None);
    assert_eq!(ids(&store, &query).await, [0; 0]);
}
