//! Lists beside what is hidden: retention has not yet removed it.

use gatepost_ids::TenantId;
use gatepost_postgres::PostgresStore;
use gatepost_storage::webhooks::*;
use gatepost_storage::{Order, Page, Scope};
use gatepost_testkit::fixtures::{UNLIMITED, at, task};
use uuid::Uuid;
use webhook_model::{OwnerId, TaskId, WebhookId};

use super::filled::{as_a_list, filled, leaps, literal};
use crate::shown::shown;
use crate::source::Key;

/// Of the first owner 55,000 deliveries are hidden, with one in their midst that waits.
const HIDDEN: &str = "
    UPDATE gatepost_webhook SET floor = 110000 * 20 WHERE id = 1;
    INSERT INTO gatepost_queue (id, webhook, due, tries, attempts, class, lost, marked)
    VALUES (50000 * 20, 1, '2026-03-01', 0, 0, 0, 0, false)";
/// The owners are in three tenants, and all of the second is hidden as well, but for some of an
/// owner who went to another.
const PLACED: &str = "
    UPDATE gatepost_owner SET place = 'tenant:' || 1 + n % 3, tenant = gatepost_id((1 + n % 3)::text), known = true
    FROM generate_series(1, 20) AS n WHERE owner = gatepost_id(n::text);
    UPDATE gatepost_webhook SET floor = 110000 * 20
    FROM generate_series(1, 20, 3) AS n WHERE owner = gatepost_id(n::text);
    UPDATE gatepost_webhook SET floor = 109900 * 20 WHERE owner = gatepost_id('4');
    UPDATE gatepost_owner SET place = 'tenant:9', tenant = gatepost_id('9') WHERE owner = gatepost_id('4')";

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
    leaps(&client, Key::Owner(Uuid::from_u128(1)), 100).await;
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
    leaps(&client, Key::Tenant(Uuid::from_u128(2)), 400).await;
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
    let many = "UPDATE gatepost_owner SET left_tenants = NULL WHERE owner = gatepost_id('4')";
    client.batch_execute(many).await.unwrap();
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
    let key = Key::Owner(Uuid::from_u128(7));
    let first = async |old: i64| {
        let sql = shown(key, Order::Ascending).unwrap();
        let sql = format!("PREPARE first AS {}", sql.replace(":schema.", ""));
        client.batch_execute(&sql).await.unwrap();
        let asked = format!(
            "EXECUTE first (0, 9999999, {}, {old})",
            literal(key).unwrap()
        );
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
