//! A database that an earlier version wrote, opened by this one.

use std::sync::Arc;
use std::time::Duration;

use apikey_core::RateLimit;
use gatepost_ids::{OwnerId, Place};
use gatepost_postgres::{PostgresConfig, PostgresStore};
use gatepost_storage::audit::AuditQuery;
use gatepost_storage::keys::{KeyQuery, KeyStore, KeyUse, Rolled};
use gatepost_storage::seal::{SealingKey, SealingKeys};
use gatepost_storage::webhooks::*;
use gatepost_storage::{AuditStore as _, OwnerStore, Page, Scope};
use gatepost_testkit::Webhooks;
use gatepost_testkit::fixtures::{
    UNLIMITED, at, direct, entry, full_event, full_grant, full_occurrence, full_task, full_webhook,
    key, message, named, outbox, settlement_of, trace, webhook,
};
use tokio_postgres::Client;
use webhook_model::{
    Channels, Chosen, DeliveryMode, Event, EventLabel, Filter, TaskId, Webhook, WebhookId,
};

use crate::common::{fresh_at, raw};
use crate::postgres::{self, FreshSchema};

/// The first version as it stood.
pub(crate) const FIRST: [&str; 3] = [SCHEMA, ROWS, MARKED];
/// The schema as the first migration leaves it.
const SCHEMA: &str = include_str!("../../migrations/0001_gatepost.sql");
/// Rows of every table, as the version before places wrote them: dumped with
/// `pg_dump --data-only --inserts`.
const ROWS: &str = include_str!("rows_0001.sql");
/// The second migration, and what the version that it made wrote then.
pub(crate) const SECOND: &str = include_str!("../../migrations/0002_places.sql");
pub(crate) const ROWS_SECOND: &str = include_str!("rows_0002.sql");
/// The third migration: what it left is opened by the fourth.
pub(crate) const THIRD: &str = include_str!("../../migrations/0003_queue.sql");
/// The fourth, with its rows of before: opened by the fifth.
const FOURTH: &str = include_str!("../../migrations/0004_cause.sql");
/// The fifth, opened by the versions after it.
const FIFTH: &str = include_str!("../../migrations/0005_key_use.sql");
const SIXTH: &str = include_str!("../../migrations/0006_data.sql");
const SEVENTH: &str = include_str!("../../migrations/0007_key_grant.sql");
/// The eighth, before keys could be limited and rolled.
const EIGHTH: &str = include_str!("../../migrations/0008_key_expires.sql");
/// The ninth to the twelfth, before webhooks could have client certificates.
const UNIDENTIFIED: [&str; 4] = [
    include_str!("../../migrations/0009_key_limit.sql"),
    include_str!("../../migrations/0010_audit.sql"),
    include_str!("../../migrations/0011_channels.sql"),
    include_str!("../../migrations/0012_trace.sql"),
];
/// The thirteenth, before events could have labels of their own.
const UNLABELLED: [&str; 1] = [include_str!("../../migrations/0013_client_identity.sql")];
/// The fourteenth, before the outbox kept who ran something by hand.
const UNNAMED: [&str; 1] = [include_str!("../../migrations/0014_event_label.sql")];
/// Opened by the one that knows traces.
const UNTRACED: [&str; 3] = [SIXTH, SEVENTH, EIGHTH];
const MARKED: &str = "CREATE TABLE gatepost_migration (
     version integer PRIMARY KEY, name text NOT NULL, applied timestamptz NOT NULL DEFAULT clock_timestamp());
     INSERT INTO gatepost_migration (version, name) VALUES (1, 'gatepost')";

/// What the rows are, as text: the columns that both versions have.
const TABLES: [(&str, &str); 3] = [
    (
        "gatepost_key",
        "id, revision, owner, lookup, hint, digest, name, created, last_login, last_login_from",
    ),
    ("gatepost_seen", "id, stored"),
    (
        "gatepost_occurrence",
        "id, event_type, event, object_id, object_name, tags, variables, occurrence_id, created, rejected",
    ),
];

async fn text_of(client: &Client) -> Vec<String> {
    let mut all = Vec::new();
    for (table, columns) in TABLES {
        let rows = format!("SELECT row({columns})::text FROM {table} ORDER BY 1");
        let rows = client.query(&rows, &[]).await.unwrap();
        assert!(rows.len() > 1 || table == "gatepost_seen", "{table}");
        all.extend(rows.iter().map(|row| row.get::<_, String>(0)));
    }
    all
}

async fn old() -> (PostgresConfig, Client) {
    written_by(&FIRST).await
}

async fn written_by(scripts: &[&str]) -> (PostgresConfig, Client) {
    let (at, client) = written_at(scripts).await;
    (config_of(&at), client)
}

/// A schema that these scripts have made.
pub(crate) async fn written_at(scripts: &[&str]) -> (FreshSchema, Client) {
    let fresh = postgres::fresh();
    let client = raw(&fresh).await;
    let create = format!("CREATE SCHEMA {}", fresh.schema);
    client.batch_execute(&create).await.unwrap();
    for sql in scripts {
        let sql = sql.replace(":schema.", &format!("{}.", fresh.schema));
        client.batch_execute(&sql).await.unwrap();
    }
    (fresh, client)
}

pub(crate) fn config_of(at: &FreshSchema) -> PostgresConfig {
    let keys = SealingKeys::new(SealingKey::new(1, [7; 32]));
    PostgresConfig::url(&at.url)
        .with_schema(&at.schema)
        .with_sealing(keys)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_row_of_the_version_before_is_found_again_and_all_owners_are_unplaced() {
    let (config, client) = old().await;
    let before = text_of(&client).await;
    let store = PostgresStore::connect(config).await.unwrap();
    assert_eq!(text_of(&client).await, before);

    let owners = [OwnerId(1), OwnerId(2), OwnerId(7), OwnerId(9)];
    assert_eq!(store.unplaced_owners(None, 9).await.unwrap(), owners);
    assert_eq!(store.owner(OwnerId(1)).await.unwrap(), None);

    let keys = store.list_keys(&KeyQuery::all(Page::first(9))).await;
    let keys = keys.unwrap();
    let names: Vec<_> = keys.iter().map(|row| row.key.name.as_str()).collect();
    assert_eq!(names, ["kept", "only a key"]);
    assert!(keys[0].key.last_login.is_some());
    let found = store.key_by_lookup(keys[0].key.lookup).await.unwrap();
    assert_eq!(found.as_ref(), Some(&keys[0]));

    let hooks = store.webhooks(&[1, 2, 3].map(WebhookId)).await.unwrap();
    let unlisted = Webhook {
        channels: Channels::default(),
        retry_schedule: None,
        client_identity: None,
        mode: DeliveryMode::Push,
        ..full_webhook()
    };
    assert_eq!(hooks[0].value, unlisted, "its secrets too");
    assert_eq!(hooks[1].value, webhook("plain"));
    let whose: Vec<_> = hooks.iter().map(|row| row.owner.0).collect();
    assert_eq!(whose, [7, 1, 2]);

    let tasks = TaskQuery {
        scope: Scope::Owner(OwnerId(7)),
        creator: None,
        webhook: None,
        name: None,
        page: Page::first(9),
    };
    let tasks = store.list_tasks(&tasks).await.unwrap();
    assert_eq!(tasks.len(), 1);
    assert_eq!(tasks[0].task, full_task(hooks[0].id));
    let ran = store.task(TaskId(2)).await.unwrap().unwrap();
    assert_eq!((ran.owner, ran.last_run), (OwnerId(1), Some(at(5))));
    let events = EventQuery {
        scope: Scope::Owner(OwnerId(7)),
        task: None,
        event_type: None,
        page: Page::first(9),
    };
    let events = store.list_events(&events).await.unwrap();
    assert_eq!(events.len(), 1);
    // Its filter was kept for clients, and is not understood: it is kept, and matches nothing.
    let filter = Filter::stored(r#"{"":{},"a":[null,"é\"",1.5],"b":1}"#).unwrap();
    assert!(filter.problem().is_some());
    let full = Event {
        filters: filter,
        label: EventLabel::default(),
        ..full_event(tasks[0].id)
    };
    assert_eq!(events[0].value, full);

    let usage = store.record_usage(OwnerId(1)).await.unwrap();
    let task = ran.task.stored_bytes();
    let event = store.event(webhook_model::EventId(2)).await.unwrap();
    let event = event.unwrap().value.stored_bytes();
    assert_eq!((usage.webhooks, usage.tasks, usage.events), (1, 1, 1));
    // What is sealed is counted with the marks between its parts, until it is stored again.
    let exact = hooks[1].value.stored_bytes() + task + event;
    assert!((exact..exact + 9).contains(&usage.bytes), "{usage:?}");
    let edited = store.update_webhook(&hooks[1], UNLIMITED, at(9)).await;
    assert_eq!(edited.unwrap().value, hooks[1].value);
    let usage = store.record_usage(OwnerId(1)).await.unwrap();
    assert_eq!(usage.bytes, exact);

    let routes = store.routes(Place::Common, 99).await.unwrap().unwrap();
    assert_eq!((routes.tasks.len(), routes.events.len()), (1, 1));
    let again = store.route_changes(Place::Common, RoutesVersion(1)).await;
    assert_eq!(
        again.unwrap().changed,
        ChangedRoutes::All,
        "what was before is not remembered"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_waited_in_the_version_before_goes_on() {
    let (config, _) = old().await;
    let store = PostgresStore::connect(config).await.unwrap();
    let (plain, ordered) = (WebhookId(2), WebhookId(3));
    let query = DeliveryQuery {
        scope: Scope::Owner(OwnerId(1)),
        ..DeliveryQuery::all(Page::first(9))
    };
    let log = store.list_deliveries(&query).await.unwrap();
    let state = |id: &str| log.iter().find(|d| d.message_id.as_str() == id).unwrap();
    assert_eq!(state("sent").state, DeliveryState::Sent);
    assert_eq!(state("failed").state, DeliveryState::Error);
    let attempts = store.attempts(state("sent").id, 99).await.unwrap();
    assert_eq!((attempts.len(), attempts[0].kept), (1, true));
    assert!(log.iter().all(|d| d.message_kept && d.tenant.is_none()));

    // The lease of before runs out, and the id is known in the place of all who are unplaced.
    let back = store.reclaim(9, at(70)).await.unwrap();
    assert_eq!((back.requeued, back.ended), (1, 0));
    let known = Enqueue {
        origin: named("seen-1"),
        ..direct(vec![message(plain, "again", at(70))])
    };
    let known = store.enqueue(known, at(70)).await.unwrap();
    assert_eq!(known, Enqueued::AlreadyKnown);
    let lanes = [LaneClass::First, LaneClass::Retry, LaneClass::Alone];
    let lanes = lanes.map(|class| gatepost_testkit::fixtures::lane(plain, class));
    let claimed = store.claim(&lanes, at(99), at(70)).await.unwrap();
    let ids: Vec<_> = claimed
        .iter()
        .map(|c| c.delivery.message_id.as_str())
        .collect();
    assert_eq!(ids, ["queued", "retried", "running"]);
    let in_order = [gatepost_testkit::fixtures::lane(ordered, LaneClass::First)];
    for id in ["first", "second"] {
        let claimed = store.claim(&in_order, at(99), at(70)).await.unwrap();
        assert_eq!(claimed.len(), 1);
        assert_eq!(claimed[0].delivery.message_id.as_str(), id);
        let claim = Claim {
            delivery: claimed[0].delivery.id,
            token: claimed[0].token,
        };
        let sent = settlement_of(claim, Disposition::Sent);
        assert_eq!(
            store.settle(vec![sent], at(71)).await.unwrap(),
            [Settled::Done]
        );
    }
    let waiting = outbox(&Webhooks::of(Arc::new(store.clone())), 70).await;
    assert_eq!(waiting.len(), 1, "the one that was set aside stays aside");
    let mut of_before = full_occurrence();
    (of_before.data, of_before.trace) = (None, None);
    (of_before.to, of_before.channel) = (None, None);
    assert_eq!(waiting[0].occurrence, Ok(of_before));
    assert_eq!(
        (waiting[0].turn, &waiting[0].left),
        (0, &Left::After(TaskId(0)))
    );
    store
        .insert_webhook(&webhook("new"), UNLIMITED, at(72))
        .await
        .unwrap();
}

/// What is shown of a delivery: state, class, information, attempts, tries, lost claims, response.
type Shown<'a> = (DeliveryState, &'a str, &'a str, u32, u32, u32, Option<u16>);

fn shown(delivery: &Delivery) -> Shown<'_> {
    (
        delivery.state,
        &delivery.class,
        &delivery.status_info,
        delivery.attempts,
        delivery.tries,
        delivery.lost_claims,
        delivery.response_status,
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deliveries_in_every_state_stand_as_they_did_before_the_queue() {
    use DeliveryState::{Error, Queued, Running, Sent};
    let mark = "INSERT INTO gatepost_migration (version, name) VALUES (2, 'places')";
    let (config, client) = written_by(&[SCHEMA, ROWS, MARKED, SECOND, ROWS_SECOND, mark]).await;
    let store = PostgresStore::connect(config).await.unwrap();
    let log = DeliveryQuery::all(Page::first(99));
    let log = store.list_deliveries(&log).await.unwrap();
    assert_eq!(log.len(), 17);
    let find = |id: &str| log.iter().find(|d| d.message_id.as_str() == id).unwrap();
    let wanted: [(&str, Shown<'_>); 10] = [
        ("b-queued", (Queued, "", "", 0, 0, 0, None)),
        ("b-retried", (Queued, "timeout", "timeout", 2, 2, 0, None)),
        ("b-alone", (Queued, "", "", 0, 0, 2, None)),
        ("b-running", (Running, "timeout", "timeout", 1, 1, 1, None)),
        ("b-sent", (Sent, "ok", "200 OK", 2, 2, 0, Some(200))),
        ("b-failed", (Error, "timeout", "timeout", 1, 1, 0, None)),
        (
            "b-cancelled",
            (Error, "timeout", "cancelled", 1, 1, 0, None),
        ),
        (
            "b-died",
            (Error, "", "the sender died 3 times", 0, 0, 3, None),
        ),
        ("b-replayed", (Queued, "status", "", 3, 0, 0, Some(500))),
        ("b-ordered", (Running, "", "", 0, 0, 0, None)),
    ];
    for (id, wanted) in wanted {
        assert_eq!(shown(find(id)), wanted, "{id}");
    }
    assert_eq!(find("b-retried").due, at(40));
    assert_eq!(find("b-running").lease_until, Some(at(60)));
    assert!(!find("b-sent").message_kept && find("b-sent").body.is_empty());
    let tenant = find("b-sent").tenant.map(|tenant| tenant.0);
    assert_eq!((tenant, find("b-sent").task), (Some(5), Some(TaskId(2))));
    let numbers = store.attempts(find("b-replayed").id, 99).await.unwrap();
    let numbers: Vec<_> = numbers.iter().map(|a| a.number).collect();
    assert_eq!(numbers, [1, 2, 3]);

    // A webhook in order is busy until what runs is taken back; ids and tokens go on.
    let ordered = [gatepost_testkit::fixtures::lane(
        WebhookId(3),
        LaneClass::First,
    )];
    let none = store.claim(&ordered, at(99), at(50)).await.unwrap();
    assert!(none.is_empty());
    let back = store.reclaim(9, at(70)).await.unwrap();
    assert_eq!((back.requeued, back.ended), (3, 0));
    let head = store.claim(&ordered, at(99), at(70)).await.unwrap();
    assert_eq!(head[0].delivery.message_id.as_str(), "first");
    assert!(head[0].token.0 > 49, "above every token of before");
    let stored = direct(vec![message(WebhookId(2), "new", at(70))]);
    let Enqueued::Stored { deliveries, .. } = store.enqueue(stored, at(70)).await.unwrap() else {
        panic!("not stored");
    };
    assert_eq!(deliveries[0].id, DeliveryId(21));
    let attempts = "SELECT to_regclass('gatepost_attempt') IS NULL";
    assert!(
        client
            .query_one(attempts, &[])
            .await
            .unwrap()
            .get::<_, bool>(0)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_stored_before_causes_were_has_none_and_what_comes_has_one() {
    let mark = "INSERT INTO gatepost_migration (version, name) VALUES (2, 'places'), (3, 'queue')";
    let scripts = [SCHEMA, ROWS, MARKED, SECOND, ROWS_SECOND, THIRD, mark];
    let (config, _client) = written_by(&scripts).await;
    let store = PostgresStore::connect(config).await.unwrap();
    let log = DeliveryQuery::all(Page::first(99));
    let before = store.list_deliveries(&log).await.unwrap();
    assert_eq!(before.len(), 17);
    assert!(before.iter().all(|delivery| delivery.cause.is_none()));
    let mut attempts = 0;
    for delivery in &before {
        for attempt in store.attempts(delivery.id, 99).await.unwrap() {
            assert_eq!(attempt.request_head, b"", "{}", delivery.message_id);
            attempts += 1;
        }
    }
    assert!(attempts > 3, "{attempts}");
    let cause: Cause = "vms poweron 3 7 order-4711".parse().unwrap();
    let new = NewDelivery {
        cause: Some(cause.clone()),
        ..message(before[0].webhook, "new", at(2_000_000_000))
    };
    store.enqueue(direct(vec![new]), at(1)).await.unwrap();
    let after = store.list_deliveries(&log).await.unwrap();
    assert_eq!(after.len(), 18);
    assert_eq!(after[17].cause, Some(cause));
    assert_eq!(after[..17], before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_of_before_uses_were_counted_have_none_and_are_counted_from_now_on() {
    let (store, client) = opened(&[FOURTH], "(4, 'cause')").await;
    let keys = store.list_keys(&KeyQuery::all(Page::first(9))).await;
    let keys = keys.unwrap();
    assert_eq!(keys.len(), 2);
    let day = at(0).date_naive();
    let all = async |key| {
        store
            .key_uses(key, day, day.succ_opt().unwrap(), 9)
            .await
            .unwrap()
    };
    for row in &keys {
        assert_eq!(all(row.id).await, []);
        let uses = KeyUse {
            key: row.id,
            day,
            used: 2,
            refused: 1,
        };
        store.record_uses(&[uses]).await.unwrap();
        assert_eq!(all(row.id).await, [uses]);
    }
    store.delete_key(keys[0].id, at(1)).await.unwrap();
    let left = "SELECT key FROM gatepost_key_use";
    let left = client.query(left, &[]).await.unwrap();
    let left: Vec<i64> = left.iter().map(|row| row.get(0)).collect();
    assert_eq!(left, [keys[1].id.0], "a deleted key takes its days along");
}

/// What the third version and these left, opened by this one; `marks` are their marks.
async fn opened(later: &[&str], marks: &str) -> (PostgresStore, Client) {
    let marks = format!(
        "INSERT INTO gatepost_migration (version, name)
         VALUES (2, 'places'), (3, 'queue'), {marks}"
    );
    let mut scripts = vec![SCHEMA, ROWS, MARKED, SECOND, ROWS_SECOND, THIRD];
    scripts.extend(later);
    scripts.push(&marks);
    let (config, client) = written_by(&scripts).await;
    let before = text_of(&client).await;
    let store = PostgresStore::connect(config).await.unwrap();
    assert_eq!(text_of(&client).await, before);
    (store, client)
}

/// What the fifth version left, opened by this one.
async fn from_the_fifth() -> (PostgresStore, Client) {
    opened(&[FOURTH, FIFTH], "(4, 'cause'), (5, 'key_use')").await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_of_before_grants_are_enabled_and_may_everything_and_can_be_narrowed() {
    let (store, _client) = from_the_fifth().await;
    let keys = store.list_keys(&KeyQuery::all(Page::first(9))).await;
    let keys = keys.unwrap();
    assert_eq!(keys.len(), 2);
    for row in keys {
        assert!(row.key.enabled && row.key.grant.is_all());
        let mut narrow = row.clone();
        (narrow.key.grant, narrow.key.enabled) = (full_grant(), false);
        let narrow = store.update_key(&narrow, at(1)).await.unwrap();
        assert_eq!(narrow.key.grant, full_grant());
        assert_eq!(store.key(row.id).await.unwrap(), Some(narrow));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_of_before_limits_have_none_and_can_be_limited_and_rolled() {
    let marks = "(4, 'cause'), (5, 'key_use'), (6, 'data'), (7, 'key_grant'), (8, 'key_expires')";
    let later = [FOURTH, FIFTH, SIXTH, SEVENTH, EIGHTH];
    let (store, _client) = opened(&later, marks).await;
    let keys = store.list_keys(&KeyQuery::all(Page::first(9))).await;
    let keys = keys.unwrap();
    assert_eq!(keys.len(), 2);
    for mut row in keys {
        assert_eq!((row.key.limit, row.rolled), (None, Rolled::default()));
        row.key.limit = Some(RateLimit::per_minute(60).unwrap());
        let limited = store.update_key(&row, at(1)).await.unwrap();
        assert_eq!(limited.key.limit, row.key.limit);
        let next = key(row.key.owner.0, row.key.name.next().as_str());
        let rolled = store.roll_key(&limited, &next, u64::MAX, at(1)).await;
        let (new, old) = rolled.unwrap();
        assert_eq!(
            (new.rolled.from, old.rolled.to),
            (Some(row.id), Some(new.id))
        );
        assert_eq!(store.key(old.id).await.unwrap(), Some(old));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn occurrences_that_waited_before_there_was_data_bring_nothing_along() {
    let (store, client) = from_the_fifth().await;
    let insert = "INSERT INTO gatepost_occurrence (event_type, event, tenant, data, due)
        VALUES ('vms', 'poweron', 77, '{\"b\": 1.50, \"a\": 1}', 'epoch')";
    client.batch_execute(insert).await.unwrap();
    let rows = outbox(&Webhooks::of(Arc::new(store)), 2_000_000_000).await;
    let data = rows.iter().filter_map(|row| row.occurrence.as_ref().ok());
    let data: Vec<_> = data
        .filter_map(|occurrence| occurrence.data.clone())
        .collect();
    assert!(rows.len() > 1, "those of before");
    assert_eq!(data, ["{\"a\":1,\"b\":1.5}".parse().unwrap()]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_stored_before_there_were_traces_belongs_to_none_and_what_comes_to_one() {
    let [sixth, seventh, eighth] = UNTRACED;
    let marks = "(4, 'cause'), (5, 'key_use'), (6, 'data'), (7, 'key_grant'), (8, 'key_expires');
        UPDATE gatepost_delivery SET cause = 'vms poweron 3 7 order-4711'";
    let (store, client) = opened(&[FOURTH, FIFTH, sixth, seventh, eighth], marks).await;
    let log = DeliveryQuery::all(Page::first(99));
    let deliveries = store.list_deliveries(&log).await.unwrap();
    let causes = deliveries.into_iter().map(|one| one.cause);
    let causes: Vec<_> = causes.flatten().collect();
    assert!(!causes.is_empty());
    let bare = |cause: &Cause| cause.trace.is_none() && cause.data.is_none();
    assert!(causes.iter().all(bare));
    let insert = format!(
        "INSERT INTO gatepost_occurrence (event_type, event, tenant, trace, due)
        VALUES ('vms', 'poweron', 77, '{}', 'epoch')",
        trace()
    );
    client.batch_execute(&insert).await.unwrap();
    let rows = outbox(&Webhooks::of(Arc::new(store)), 2_000_000_000).await;
    let traces = rows.iter().filter_map(|row| row.occurrence.as_ref().ok());
    let traces: Vec<_> = traces.filter_map(|one| one.trace.clone()).collect();
    assert!(rows.len() > 1, "those of before");
    assert_eq!(traces, [trace()]);
}

#[tokio::test]
async fn webhooks_of_before_channels_hear_everything_and_can_list_some() {
    let (store, client) = from_the_fifth().await;
    let insert =
        "INSERT INTO gatepost_occurrence (event_type, event, tenant, webhooks, channel, due)
        VALUES ('vms', 'poweron', 77, '[7, 3]', 'billing', 'epoch')";
    client.batch_execute(insert).await.unwrap();
    let mut row = store.webhook(WebhookId(1)).await.unwrap().unwrap();
    assert!(row.value.channels.is_empty() && row.value.retry_schedule.is_none());
    (row.value.channels, row.value.retry_schedule) =
        (full_webhook().channels, full_webhook().retry_schedule);
    let edited = store.update_webhook(&row, UNLIMITED, at(1)).await.unwrap();
    assert_eq!(edited.value, row.value);
    let rows = outbox(&Webhooks::of(Arc::new(store)), 2_000_000_000).await;
    let meant = rows.iter().filter_map(|row| row.occurrence.as_ref().ok());
    let meant: Vec<_> = meant
        .filter(|o| o.to.is_some() || o.channel.is_some())
        .collect();
    assert!(
        rows.len() > 1 && meant.len() == 1,
        "one more than those of before"
    );
    let to = Chosen::new([WebhookId(3), WebhookId(7)]).unwrap();
    assert_eq!(meant[0].to, Some(to));
    assert_eq!(meant[0].channel, Some("billing".parse().unwrap()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_of_before_there_was_a_log_of_changes_has_an_empty_one() {
    let (store, _client) = from_the_fifth().await;
    let all = AuditQuery::all(Page::first(9));
    assert_eq!(store.list_audit(&all).await.unwrap(), []);
    store.append_audit(&[entry(1, 1, 0)], 9).await.unwrap();
    assert_eq!(store.list_audit(&all).await.unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn webhooks_of_before_client_certificates_have_none_and_can_be_given_one() {
    let marks = "(4, 'cause'), (5, 'key_use'), (6, 'data'), (7, 'key_grant'), (8, 'key_expires'),
        (9, 'key_limit'), (10, 'audit'), (11, 'channels'), (12, 'trace')";
    let later = [&[FOURTH, FIFTH][..], &UNTRACED, &UNIDENTIFIED].concat();
    let (store, _client) = opened(&later, marks).await;
    let mut row = store.webhook(WebhookId(1)).await.unwrap().unwrap();
    assert_eq!(row.value.client_identity, None);
    row.value.client_identity = full_webhook().client_identity;
    let edited = store.update_webhook(&row, UNLIMITED, at(1)).await.unwrap();
    assert_eq!(edited.value, row.value);
    assert_eq!(store.webhook(row.id).await.unwrap(), Some(edited));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_of_before_labels_have_none_and_can_be_given_one() {
    let marks = "(4, 'cause'), (5, 'key_use'), (6, 'data'), (7, 'key_grant'), (8, 'key_expires'),
        (9, 'key_limit'), (10, 'audit'), (11, 'channels'), (12, 'trace'), (13, 'client_identity')";
    let later = [&[FOURTH, FIFTH][..], &UNTRACED, &UNIDENTIFIED, &UNLABELLED].concat();
    let (store, _client) = opened(&later, marks).await;
    can_be_labelled(&store).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn occurrences_that_waited_before_it_was_kept_were_run_by_nobody() {
    let marks = "(4, 'cause'), (5, 'key_use'), (6, 'data'), (7, 'key_grant'), (8, 'key_expires'),
        (9, 'key_limit'), (10, 'audit'), (11, 'channels'), (12, 'trace'), (13, 'client_identity'),
        (14, 'event_label')";
    let later = [
        &[FOURTH, FIFTH][..],
        &UNTRACED,
        &UNIDENTIFIED,
        &UNLABELLED,
        &UNNAMED,
    ]
    .concat();
    let (store, client) = opened(&later, marks).await;
    let insert = "INSERT INTO gatepost_occurrence (event_type, event, tenant, run_by, due)
        VALUES ('vms', 'poweron', 77, 7, 'epoch')";
    client.batch_execute(insert).await.unwrap();
    let rows = outbox(&Webhooks::of(Arc::new(store)), 2_000_000_000).await;
    let by: Vec<_> = rows.iter().filter_map(|row| row.by).collect();
    assert!(rows.len() > 1, "those of before");
    assert_eq!(by, [OwnerId(7)]);
}

async fn can_be_labelled(store: &impl RecordStore) {
    let mut row = store
        .event(webhook_model::EventId(2))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(row.value.label, EventLabel::default());
    row.value.label = "at night".parse().unwrap();
    let edited = store.update_event(&row, UNLIMITED, at(1)).await.unwrap();
    assert_eq!(edited.value, row.value);
    assert_eq!(store.event(row.id).await.unwrap(), Some(edited));
}

/// A change of a record reads its webhook, its task, then its owner. Whoever upgrades waits for a
/// list that has read owners, and nobody waits behind.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_changes_records_does_not_wait_behind_an_upgrade_that_waits() {
    let (store, config, place) = fresh_at().await;
    drop(store);
    let [client, reader, writer] = [raw(&place).await, raw(&place).await, raw(&place).await];
    let before = "
        DROP TRIGGER gatepost_leave_tenant ON gatepost_owner; DROP FUNCTION gatepost_leave_tenant;
        DROP TRIGGER gatepost_leave_webhook ON gatepost_task; DROP FUNCTION gatepost_leave_webhook;
        ALTER TABLE gatepost_owner DROP COLUMN left_tenants; ALTER TABLE gatepost_task DROP COLUMN left_webhooks;
        ALTER TABLE gatepost_kept DROP COLUMN left_from;
        ALTER TABLE gatepost_webhook DROP COLUMN beside, DROP COLUMN beside_tokens;
        DELETE FROM gatepost_migration WHERE version > 17";
    client.batch_execute(before).await.unwrap();
    reader
        .batch_execute("BEGIN; SELECT FROM gatepost_owner")
        .await
        .unwrap();
    let upgrade = tokio::spawn(PostgresStore::connect(config));
    let change = "BEGIN; SET LOCAL lock_timeout = '2s'; SELECT FROM gatepost_webhook;
        SELECT FROM gatepost_task; SELECT FROM gatepost_owner; COMMIT";
    for _ in 0..20 {
        writer.batch_execute(change).await.unwrap();
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(!upgrade.is_finished(), "it waits");
    reader.batch_execute("COMMIT").await.unwrap();
    upgrade.await.unwrap().unwrap();
}
