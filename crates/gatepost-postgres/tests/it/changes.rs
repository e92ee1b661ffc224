//! The cost of a change of a record while its realm is locked: it depends on the changed rows, and
//! not on the rows that refer to them or on the length of the log of changes.

use gatepost_ids::Realm;
use gatepost_storage::OwnerStore as _;
use gatepost_storage::webhooks::*;
use gatepost_testkit::fixtures::{UNLIMITED, at, direct, message, stored_webhook, task};
use tokio_postgres::Client;
use webhook_model::{EventId, OwnerId, TaskId};

use crate::common::{fresh_at, pages, raw, rows};

/// The number of events that an owner may have.
const MANY: usize = 5_000;
const DELETE: &str = concat!(
    include_str!("../../src/sql/records/delete_task.sql"),
    include_str!("../../src/sql/place/changed.sql"),
    include_str!("../../src/sql/records/verdict.sql"),
);
/// A thousand changes of a hundred records each, of which the last is the 63,999th.
const LOGGED: &str = "
    INSERT INTO gatepost_change (place, version, kind, record, previous, change)
    SELECT 'common', -n, 2, r, -n - 1, 64000 - n FROM generate_series(1, 1000) AS n, generate_series(1, 100) AS r ORDER BY n DESC, r;
    UPDATE gatepost_place SET changes = 63999 WHERE place = 'common'";

/// Inserts an enabled event of this task for each number.
async fn events(client: &Client, task: TaskId) {
    let sql = format!(
        "INSERT INTO gatepost_event (revision, created, modified, owner, event_type, event, target, task, enabled, filters, context, bytes, label)
         SELECT 1, now(), now(), t.owner, 'vms', 'poweron', 'any', t.id, true, '{{}}', '{{}}', 300, ''
         FROM gatepost_task t, generate_series(1, {MANY}) WHERE t.id = {task};
         UPDATE gatepost_record_usage SET events = events + {MANY}, bytes = bytes + 300 * {MANY}"
    );
    client.batch_execute(&sql).await.unwrap();
}

async fn named(store: &impl RecordStore, since: RoutesVersion) -> (Vec<TaskId>, Vec<EventId>) {
    let changes = store.route_changes(Realm::Shared, since).await.unwrap();
    let Some(changes) = changes else {
        panic!("it is not remembered");
    };
    let tasks = changes.tasks.iter().map(|(id, _)| *id).collect();
    let there = changes.events.iter().filter(|(_, route)| route.is_some());
    (tasks, there.map(|(id, _)| *id).collect())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn task_with_many_events_logs_one_change_row() {
    let (store, _, place) = fresh_at().await;
    let client = raw(&place).await;
    let hook = stored_webhook(&store, "w").await;
    let row = store.insert_task(&task(hook), UNLIMITED, at(0)).await;
    let mut row = row.unwrap();
    events(&client, row.id).await;
    let version = async || store.routes_versions(&[Realm::Shared]).await.unwrap()[0];
    let change = async |row: &TaskRow| store.update_task(row, UNLIMITED, at(1)).await.unwrap();

    row.value.enabled = false;
    row = change(&row).await;
    let (since, logged) = (version().await, rows(&client, "gatepost_change").await);
    for n in 0..3 {
        row.value.description = format!("{n}").parse().unwrap();
        row = change(&row).await;
    }
    let now = rows(&client, "gatepost_change").await;
    assert_eq!(now, logged + 3, "a row for each edit while it is disabled");
    assert_eq!(named(&store, since).await, (vec![row.id], vec![]));

    row.value.enabled = true;
    row = change(&row).await;
    let now = rows(&client, "gatepost_change").await;
    assert_eq!(now, logged + 4, "a row for all that is back");
    let (tasks, events) = named(&store, since).await;
    assert_eq!((tasks, events.len()), (vec![row.id], MANY));

    let (since, other) = (version().await, stored_webhook(&store, "other").await);
    row.value.action = task(other).action;
    change(&row).await;
    let now = rows(&client, "gatepost_change").await;
    assert_eq!(now, logged + 6, "and where it sends another webhook");
    assert_eq!(named(&store, since).await.1.len(), MANY);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn change_log_trim_costs_only_forgotten_changes() {
    let (store, _, place) = fresh_at().await;
    let client = raw(&place).await;
    let hook = stored_webhook(&store, "w").await;
    let row = store.insert_task(&task(hook), UNLIMITED, at(0)).await;
    let row = row.unwrap();
    client.batch_execute(LOGGED).await.unwrap();
    client.batch_execute("ANALYZE").await.unwrap();
    let whole = "SELECT count(previous) FROM gatepost_change";
    let whole = pages(&client, whole, "").await;
    assert!(whole > 600, "{whole} pages of all: nothing is proved");
    let set = "SET enable_seqscan = off; SET jit = off; SET plan_cache_mode = force_generic_plan;
        SET gatepost.held = '{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,
            32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63}'";
    client.batch_execute(set).await.unwrap();
    let read = pages(&client, DELETE, &format!("'{{{}}}'", row.id)).await;
    assert!(read < 300, "{read} pages of {whole}");
}

/// Changes that were logged together are forgotten together: half of them would look like all.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_logged_together_are_forgotten_together() {
    let (store, _, place) = fresh_at().await;
    let client = raw(&place).await;
    let hook = stored_webhook(&store, "w").await;
    let logged = LOGGED.replace("1, 1000)", "1, 1060)");
    client.batch_execute(&logged).await.unwrap();
    let per_change = "SELECT change, count(*) FROM gatepost_change WHERE version < 0 GROUP BY change ORDER BY change";
    for _ in 0..70 {
        let row = store.webhook(hook).await.unwrap().unwrap();
        store.update_webhook(&row, UNLIMITED, at(1)).await.unwrap();
        let left = client.query(per_change, &[]).await.unwrap();
        assert!(left.iter().all(|row| row.get::<_, i64>(1) == 100));
        assert_eq!(left.last().unwrap().get::<_, i64>(0), 63_999);
    }
    let left = client.query(per_change, &[]).await.unwrap();
    assert!((1_000..1_020).contains(&left.len()), "{}", left.len());
}

/// The change itself deletes none of the events; nevertheless, they are no longer visible.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn task_disappears_immediately_and_its_events_in_batches() {
    let (store, _, place) = fresh_at().await;
    let client = raw(&place).await;
    let hook = stored_webhook(&store, "w").await;
    let before = store.record_usage(OwnerId(1)).await.unwrap();
    let consume = async |task: TaskId| {
        let once = Enqueue {
            consume: vec![task],
            ..direct(vec![message(hook, &format!("m{task}"), at(0))])
        };
        let stored = store.enqueue(once, at(0)).await.unwrap();
        assert!(matches!(stored, Enqueued::Stored { .. }), "{stored:?}");
    };
    for consumed in [false, true] {
        let row = store.insert_task(&task(hook), UNLIMITED, at(0)).await;
        let id = row.unwrap().id;
        events(&client, id).await;
        let since = store.routes_versions(&[Realm::Shared]).await.unwrap()[0];
        match consumed {
            true => consume(id).await,
            false => store.delete_task(id, at(1)).await.unwrap(),
        }
        assert_eq!(rows(&client, "gatepost_event").await, MANY as i64);
        assert_eq!(store.task(id).await.unwrap(), None);
        assert_eq!(store.owner_of(RecordId::Task(id)).await.unwrap(), None);
        assert_eq!(named(&store, since).await, (vec![id], vec![]));
        let routes = store.routes(Realm::Shared, 9).await.unwrap().unwrap();
        assert_eq!((routes.tasks, routes.events), (vec![], vec![]));
        assert_eq!(store.record_usage(OwnerId(1)).await.unwrap(), before);
        assert!(store.delete_task(id, at(1)).await.is_err());

        store.reseal().await.unwrap();
        while store.remove_gone(1_000, at(1)).await.unwrap() == 1_000 {}
        for table in ["gatepost_event", "gatepost_task"] {
            assert_eq!(rows(&client, table).await, 0, "{table}");
        }
        assert_eq!(rows(&client, "gatepost_webhook").await, 1);
    }
}
