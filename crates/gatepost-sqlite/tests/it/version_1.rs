//! A database as version 1 of the schema left it is opened, and everything in it is found again.

use std::collections::BTreeMap;

use gatepost_ids::{OwnerId, Place, TenantId};
use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::keys::{ChangedKeys, KeyGeneration, KeyQuery, KeySlice, KeyStore as _};
use gatepost_storage::seal::{SealingKey, SealingKeys};
use gatepost_storage::webhooks::*;
use gatepost_storage::{ErrorKind, OwnerStore as _, Page, Scope};
use gatepost_testkit::fixtures::{
    UNLIMITED, at, direct, event, full_event, full_task, lane, message, task, webhook,
};
use rusqlite::Connection;
use webhook_model::{Event, EventLabel, Filter, TaskId, WebhookId};

use crate::of_before::first_webhook;

const DUMP: &str = include_str!("../fixtures/version_1.sql");

/// The rows of a table by their columns' names, as text.
type Rows = Vec<BTreeMap<String, String>>;

fn old_file() -> (SqliteConfig, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gatepost.db");
    let file = Connection::open(&path).unwrap();
    file.execute_batch(DUMP).unwrap();
    file.close().unwrap();
    let sealing = SealingKeys::new(SealingKey::new(1, [7; 32]));
    (SqliteConfig::file(path).with_sealing(sealing), folder)
}

async fn migrated() -> (SqliteStore, tempfile::TempDir) {
    let (config, folder) = old_file();
    (SqliteStore::open(config).await.unwrap(), folder)
}

fn rows(folder: &tempfile::TempDir, table: &str) -> Rows {
    let file = Connection::open(folder.path().join("gatepost.db")).unwrap();
    let mut statement = file.prepare(&format!("SELECT * FROM {table}")).unwrap();
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let read = |row: &rusqlite::Row<'_>| {
        let value = |at| format!("{:?}", row.get_ref(at).unwrap());
        Ok(names
            .iter()
            .enumerate()
            .map(|(at, name)| (name.clone(), value(at)))
            .collect())
    };
    statement
        .query_map([], read)
        .unwrap()
        .map(Result::unwrap)
        .collect()
}

#[tokio::test]
async fn every_column_of_every_row_is_as_it_was() {
    let (config, folder) = old_file();
    let tables = ["key", "webhook", "task", "event", "seen", "occurrence"];
    let tables = tables.map(|table| format!("gatepost_{table}"));
    let before = tables.clone().map(|table| rows(&folder, &table));
    SqliteStore::open(config).await.unwrap().close().await;
    for (table, before) in tables.iter().zip(before) {
        let after = rows(&folder, table);
        assert!(!before.is_empty(), "{table}");
        assert_eq!(before.len(), after.len(), "{table}");
        for (old, new) in before.iter().zip(&after) {
            for (column, value) in old {
                assert_eq!(new.get(column), Some(value), "{table}.{column}");
            }
        }
    }
}

#[tokio::test]
async fn records_and_secrets_are_found_and_their_owners_wait_to_be_placed() {
    let (store, _folder) = migrated().await;
    let full = store.webhook(WebhookId(1)).await.unwrap().unwrap();
    assert_eq!(full.value, first_webhook());
    assert_eq!(full.owner, OwnerId(7));
    let plain = store.webhook(WebhookId(2)).await.unwrap().unwrap();
    assert_eq!((plain.value, plain.created), (webhook("plain"), at(1)));
    assert_eq!(
        store.webhook(WebhookId(4)).await.unwrap(),
        None,
        "deleted before"
    );

    let first = store.task(TaskId(1)).await.unwrap().unwrap();
    assert_eq!(
        (first.task, first.owner),
        (full_task(WebhookId(1)), OwnerId(7))
    );
    let second = store.task(TaskId(2)).await.unwrap().unwrap();
    assert_eq!(
        (second.task, second.last_run),
        (task(WebhookId(2)), Some(at(4)))
    );
    let events = EventQuery {
        scope: Scope::All,
        task: None,
        event_type: None,
        page: Page::first(9),
    };
    let events = store.list_events(&events).await.unwrap();
    let values: Vec<_> = events
        .iter()
        .map(|row| (row.owner.0, row.value.clone()))
        .collect();
    // Its filter was kept for clients, and is not understood: it is kept, and matches nothing.
    let filter = Filter::stored(r#"{"":{},"a":[null,"é\"",1.5],"b":1}"#).unwrap();
    assert!(filter.problem().is_some());
    let full = Event {
        filters: filter,
        label: EventLabel::default(),
        ..full_event(TaskId(1))
    };
    assert_eq!(values, [(7, full), (1, event(TaskId(2)))]);

    let keys = store
        .list_keys(&KeyQuery::all(Page::first(9)))
        .await
        .unwrap();
    assert_eq!(
        keys.iter()
            .map(|k| (k.id.0, k.key.owner.0))
            .collect::<Vec<_>>(),
        [(1, 1), (2, 7)]
    );
    assert_eq!(keys[0].key.last_login.unwrap().at, at(9));
    let unplaced = store.unplaced_owners(None, 9).await.unwrap();
    assert_eq!(unplaced, [OwnerId(1), OwnerId(7), OwnerId(9)]);
    assert_eq!(store.owner(OwnerId(1)).await.unwrap(), None);
}

#[tokio::test]
async fn deliveries_attempts_ids_and_outbox_are_found() {
    let (store, _folder) = migrated().await;
    let all = store
        .list_deliveries(&DeliveryQuery::all(Page::first(99)))
        .await
        .unwrap();
    let told: Vec<_> = all
        .iter()
        .map(|d| {
            (
                d.message_id.as_str(),
                d.owner.0,
                d.state.as_str(),
                d.attempts,
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("sent", 1, "sent", 1),
            ("error", 1, "error", 1),
            ("retry", 1, "queued", 1),
            ("leased", 1, "queued", 0),
            ("waiting", 1, "queued", 0),
            ("ordered-0", 9, "queued", 0),
            ("ordered-1", 9, "queued", 0),
            ("ordered-2", 9, "queued", 0),
        ]
    );
    assert_eq!(all[5].body.len(), 9_000);
    assert!(all.iter().all(|d| d.message_kept && d.tenant.is_none()));
    let attempts = store.attempts(all[0].id, 99).await.unwrap();
    assert_eq!(
        (attempts.len(), attempts[0].kept, attempts[0].status),
        (1, true, Some(200))
    );
    let owned = DeliveryQuery {
        scope: Scope::Owner(OwnerId(9)),
        ..DeliveryQuery::all(Page::newest(2))
    };
    let owned = store.list_deliveries(&owned).await.unwrap();
    assert_eq!(owned.iter().map(|d| d.id.0).collect::<Vec<_>>(), [8, 7]);

    let origin = Origin::Occurrence {
        place: Place::Common,
        id: "occurrence-1".parse().unwrap(),
    };
    let again = Enqueue {
        origin,
        ..direct(vec![message(WebhookId(2), "again", at(9))])
    };
    assert_eq!(
        store.enqueue(again, at(9)).await.unwrap(),
        Enqueued::AlreadyKnown
    );
    let outbox = store.take_outbox(1, 9, at(20), at(9)).await.unwrap();
    let outbox = outbox.unwrap().rows;
    assert_eq!(outbox.len(), 1, "the other one was set aside");
    assert_eq!(
        (outbox[0].turn, &outbox[0].left),
        (0, &Left::After(TaskId(0)))
    );
    assert_eq!(
        outbox[0]
            .occurrence
            .as_ref()
            .unwrap()
            .object
            .as_ref()
            .unwrap()
            .id
            .0,
        42
    );

    // The queue goes on where it was.
    let claims = [
        lane(WebhookId(2), LaneClass::Retry),
        lane(WebhookId(3), LaneClass::First),
    ];
    let claimed = store.claim(&claims, at(200), at(100)).await.unwrap();
    let claimed: Vec<_> = claimed
        .iter()
        .map(|c| c.delivery.message_id.as_str().to_owned())
        .collect();
    assert_eq!(claimed, ["retry", "ordered-0"]);
    let alone = [lane(WebhookId(2), LaneClass::Alone)];
    let lost = store.claim(&alone, at(2_000), at(1_000)).await.unwrap();
    assert_eq!(
        lost[0].delivery.message_id.as_str(),
        "leased",
        "once its lease has ended"
    );
}

#[tokio::test]
async fn what_is_done_next_is_done_as_on_a_new_file() {
    let (store, _folder) = migrated().await;
    let taken = store
        .insert_webhook(&webhook("plain"), UNLIMITED, at(50))
        .await;
    assert_eq!(taken.unwrap_err().kind(), ErrorKind::Conflict);
    let mut other = webhook("plain");
    other.owner = OwnerId(7);
    let other = store
        .insert_webhook(&other, UNLIMITED, at(50))
        .await
        .unwrap();
    assert_eq!(other.id, WebhookId(5), "4 was given out before");
    let usage = store.record_usage(OwnerId(1)).await.unwrap();
    assert_eq!((usage.webhooks, usage.tasks, usage.events), (1, 1, 1));
    let counted = webhook("plain").stored_bytes()
        + task(WebhookId(2)).stored_bytes()
        + event(TaskId(2)).stored_bytes();
    // Sealed headers are counted as lines: with what is between a name and its value.
    assert!(
        (counted..counted + 8).contains(&usage.bytes),
        "{usage:?}, {counted}"
    );

    let old = store
        .route_changes(Place::Common, RoutesVersion(3))
        .await
        .unwrap();
    assert_eq!(
        old.changed,
        ChangedRoutes::All,
        "from before the file was brought up to date"
    );
    let before = store.routes(Place::Common, 99).await.unwrap().unwrap();
    assert_eq!((before.tasks.len(), before.events.len()), (1, 1));
    let place = Place::Tenant(TenantId(4));
    store.place_owner(OwnerId(1), place, at(51)).await.unwrap();
    assert_eq!(
        store.routes(place, 99).await.unwrap().unwrap().tasks,
        before.tasks
    );
    let left = store
        .route_changes(Place::Common, before.version)
        .await
        .unwrap();
    let ChangedRoutes::These(left) = left.changed else {
        panic!("all")
    };
    assert!(left.tasks.contains(&(TaskId(2), None)), "{left:?}");
    let claimed = store
        .claim(&[lane(WebhookId(2), LaneClass::Retry)], at(200), at(100))
        .await;
    assert_eq!(
        claimed.unwrap().len(),
        1,
        "what waited before anybody was placed is sent"
    );

    let since = store
        .key_changes(KeySlice(0), KeyGeneration(0))
        .await
        .unwrap();
    assert_eq!(since.changed, ChangedKeys::All);
}
