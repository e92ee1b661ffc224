//! Columns of owners, other users and tenants: 16 bytes, the most significant first.

use std::error::Error as _;

use gatepost_ids::{OwnerId, Realm, TenantId};
use gatepost_sqlite::SqliteStore;
use gatepost_storage::audit::{AuditQuery, AuditRemoval, AuditStore as _};
use gatepost_storage::owners::OwnerFilter;
use gatepost_storage::webhooks::*;
use gatepost_storage::{ErrorKind, OwnerStore as _, Page, Scope, StoreError};
use gatepost_testkit::fixtures::{
    UNLIMITED, at, direct, entry, event, message, stored_webhook, task, webhook_of,
};
use rusqlite::Connection;
use webhook_model::{TaskId, WebhookId};

use crate::common::fresh;

/// The columns that hold ids of the platform.
const IDS: [&str; 4] = ["owner", "tenant", "creator", "actor"];

fn raw(folder: &tempfile::TempDir) -> Connection {
    Connection::open(folder.path().join("gatepost.db")).unwrap()
}

/// Stores a webhook of owner 1 with two tasks.
async fn tasks(store: &SqliteStore) -> (WebhookId, [TaskId; 2]) {
    let hook = stored_webhook(store, "w").await;
    let mut ids = [TaskId(0); 2];
    for id in &mut ids {
        let task = store.insert_task(&task(hook), UNLIMITED, at(0)).await;
        *id = task.unwrap().id;
    }
    (hook, ids)
}

fn is_corrupt(error: &StoreError, column: &str) -> bool {
    let source = error.source().map(ToString::to_string);
    error.kind() == ErrorKind::Corrupt
        && error.context() == column
        && source.unwrap_or_default() == "not 16 bytes long"
}

#[tokio::test]
async fn id_columns_are_blobs_without_default() {
    let (_store, _, folder) = fresh().await;
    let columns = "SELECT t.name, c.name, c.type, c.dflt_value FROM pragma_table_list t \
                   JOIN pragma_table_xinfo(t.name) c WHERE t.type = 'table' AND t.name LIKE 'gatepost%'";
    let raw = raw(&folder);
    let mut statement = raw.prepare(columns).unwrap();
    let mut rows = statement.query([]).unwrap();
    let mut found = 0;
    while let Some(row) = rows.next().unwrap() {
        let (table, column): (String, String) = (row.get(0).unwrap(), row.get(1).unwrap());
        if !IDS.contains(&column.as_str()) {
            continue;
        }
        let (kind, default): (String, Option<String>) = (row.get(2).unwrap(), row.get(3).unwrap());
        let expected = match table.as_str() {
            "gatepost_occurrence" => "TEXT",
            _ => "BLOB",
        };
        assert_eq!(kind, expected, "{table}.{column}");
        assert_eq!(default, None, "{table}.{column}");
        found += 1;
    }
    assert!(found >= 18, "{found}");
}

#[tokio::test]
async fn ids_are_stored_most_significant_byte_first() {
    let (store, _, folder) = fresh().await;
    let id = (0x0102_u128 << 112) | 0xff;
    let tenant = Realm::Tenant(TenantId(id));
    store
        .assign_realm(OwnerId(id), tenant, at(0))
        .await
        .unwrap();
    let hook = webhook_of(id, "w");
    let hook = store.insert_webhook(&hook, UNLIMITED, at(0)).await;
    let hook = hook.unwrap().id;
    let new = direct(vec![message(hook, "m", at(0))]);
    store.enqueue(new, at(0)).await.unwrap();
    let raw = raw(&folder);
    for sql in [
        "SELECT owner FROM gatepost_owner",
        "SELECT owner FROM gatepost_webhook",
        "SELECT tenant FROM gatepost_delivery",
    ] {
        let bytes: Vec<u8> = raw.query_row(sql, [], |row| row.get(0)).unwrap();
        assert_eq!(bytes, id.to_be_bytes(), "{sql}");
    }
}

#[tokio::test]
async fn owners_are_listed_in_order_of_number() {
    let (store, _, _folder) = fresh().await;
    let owners = [0, 1, 255, 256, 1 << 63, 1 << 64, u128::MAX].map(OwnerId);
    for owner in owners.into_iter().rev() {
        store.hold_owner(owner, true, at(0)).await.unwrap();
    }
    let mut listed = Vec::new();
    while let Some(row) = store
        .list_owners(OwnerFilter::Suspended, listed.last().copied(), 1)
        .await
        .unwrap()
        .pop()
    {
        listed.push(row.owner);
    }
    assert_eq!(listed, owners);
}

#[tokio::test]
async fn owner_move_names_its_webhooks_in_route_changes() {
    let (store, _, _folder) = fresh().await;
    let owner = OwnerId(u128::MAX - 1);
    let hook = webhook_of(owner.0, "w");
    let hook = store.insert_webhook(&hook, UNLIMITED, at(0)).await;
    let hook = hook.unwrap().id;
    let place = Realm::Tenant(TenantId(u128::MAX));
    let before = store.routes_versions(&[place]).await.unwrap()[0];
    store.assign_realm(owner, place, at(1)).await.unwrap();
    let after = store.route_changes(place, before).await.unwrap().unwrap();
    let webhooks: Vec<_> = after.webhooks.iter().map(|(id, _)| *id).collect();
    assert_eq!(webhooks, [hook]);
}

#[tokio::test]
async fn damaged_creator_is_named_and_leaves_others() {
    let (store, _, folder) = fresh().await;
    let (_, [damaged, whole]) = tasks(&store).await;
    let set = "UPDATE gatepost_task SET creator = x'07' WHERE id = ?1";
    raw(&folder).execute(set, [damaged.0]).unwrap();
    let error = store.task(damaged).await.unwrap_err();
    assert!(is_corrupt(&error, "creator"), "{error:?}");
    let all = TaskQuery {
        scope: Scope::All,
        creator: None,
        webhook: None,
        name: None,
        page: Page::first(9),
    };
    let listed = store.list_tasks(&all).await.unwrap();
    let listed: Vec<_> = listed.iter().map(|row| row.id).collect();
    assert_eq!(listed, [whole]);
    let unreadable = store.unreadable(Scope::Owner(OwnerId(1)), 9).await.unwrap();
    let record = UnreadableRecord {
        record: RecordId::Task(damaged),
        owner: OwnerId(1),
        reason: "creator: not 16 bytes long".to_owned(),
    };
    assert_eq!(unreadable, [record]);
    store.delete_task(damaged, at(1)).await.unwrap();
}

#[tokio::test]
async fn damaged_owner_is_named_and_leaves_others() {
    let (store, _, folder) = fresh().await;
    let (_, [damaged, whole]) = tasks(&store).await;
    let on = store.insert_event(&event(damaged), UNLIMITED, at(0)).await;
    let raw = raw(&folder);
    for table in ["task", "event"] {
        let set = format!("UPDATE gatepost_{table} SET owner = zeroblob(17) WHERE id = 1");
        raw.execute(&set, []).unwrap();
    }
    let task = store.task(damaged).await.unwrap_err();
    let event = store.event(on.unwrap().id).await.unwrap_err();
    let whose = store.owner_of(RecordId::Task(damaged)).await.unwrap_err();
    for error in [task, event, whose] {
        assert!(is_corrupt(&error, "owner"), "{error:?}");
    }
    assert!(store.task(whole).await.unwrap().is_some());
    let unreadable = store.unreadable(Scope::All, 9).await.unwrap();
    let reasons: Vec<_> = unreadable.iter().map(|one| one.reason.as_str()).collect();
    assert_eq!(reasons, ["owner: not 16 bytes long"; 2]);
}

#[tokio::test]
async fn owner_column_refuses_other_type() {
    let (store, _, folder) = fresh().await;
    stored_webhook(&store, "w").await;
    let set = "UPDATE gatepost_webhook SET owner = 7";
    assert!(raw(&folder).execute(set, []).is_err());
}

#[tokio::test]
async fn damaged_audit_owner_leaves_with_age() {
    let (store, _, folder) = fresh().await;
    let entries = [entry(1, 1, 0), entry(2, 2, 0), entry(2, 3, 9)];
    store.append_audit(&entries, 9).await.unwrap();
    let raw = raw(&folder);
    let set = "UPDATE gatepost_audit SET owner = x'07' WHERE record = 1";
    raw.execute(set, []).unwrap();
    let before = AuditRemoval::Before(at(5));
    assert_eq!(store.remove_audit(before, 9).await.unwrap(), 2);
    let all = AuditQuery::all(Page::first(9));
    assert_eq!(store.list_audit(&all).await.unwrap().len(), 1);
}
