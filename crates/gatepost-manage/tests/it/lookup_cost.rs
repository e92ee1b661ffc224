//! A filter that names another user's record costs the same for any number of that user's rows, so
//! that the time reveals nothing.

use std::collections::BTreeSet;

use gatepost_keys::{OwnerId, TenantId};
use gatepost_manage::Actor;
use gatepost_storage::Page;
use gatepost_storage::webhooks::{DeliveryId, DeliveryQuery, RecordId};
use webhook_model::{TaskId, WebhookId};

use crate::users::{ABROAD, ADMIN, BESIDE, OWNER, STRANGER, TENANT};
use crate::world::{NOWHERE, World};

async fn log(actor: &Actor, webhook: Option<WebhookId>, task: Option<TaskId>) -> Vec<DeliveryId> {
    let query = DeliveryQuery {
        webhook,
        task,
        ..DeliveryQuery::all(Page::first(10))
    };
    let listed = actor.deliveries(&query).await.unwrap();
    assert_eq!(listed.next, None);
    listed.rows.iter().map(|delivery| delivery.id).collect()
}

#[tokio::test]
async fn delivery_log_lookup_uses_only_visible_records() {
    let world = World::start().await;
    let rows = world.rows;
    let sent = world.of(OWNER).run_task(rows.task).await.unwrap();
    let sent = sent.deliveries[0];
    world.ended(sent).await;
    let hook = RecordId::Webhook(rows.webhook);
    let task = RecordId::Task(rows.task);
    for (user, may) in [
        (OWNER, true),
        (TENANT, true),
        (ADMIN, true),
        (BESIDE, false),
        (STRANGER, false),
        (ABROAD, false),
    ] {
        let actor = world.of(user);
        world.store.looked_up();
        let found = [
            log(&actor, Some(rows.webhook), None).await,
            log(&actor, None, Some(rows.task)).await,
            log(&actor, Some(rows.webhook), Some(rows.task)).await,
        ];
        let expected = if may {
            [vec![rows.ended, sent], vec![sent], vec![sent]]
        } else {
            [vec![], vec![], vec![]]
        };
        assert_eq!(found, expected, "{user}");
        let by = if may {
            BTreeSet::from([hook, task])
        } else {
            BTreeSet::new()
        };
        assert_eq!(world.store.looked_up(), by, "{user}");
        assert_eq!(log(&actor, Some(NOWHERE.webhook), None).await, []);
    }
}

/// Rows that are filtered out of a scan, instead of looked up, are found too.
#[tokio::test]
async fn administrator_filters_deliveries_of_moved_owners() {
    let world = World::start().await;
    let rows = world.rows;
    let sent = world.of(OWNER).run_task(rows.task).await.unwrap();
    let sent = sent.deliveries[0];
    world.ended(sent).await;
    let abroad = TenantId(2);
    world.platform.moved.lock().unwrap().insert(OWNER, abroad);
    world.engine.owner_changed(OwnerId(OWNER)).await.unwrap();
    let admin = world.of(TENANT);
    let found = [
        log(&admin, Some(rows.webhook), None).await,
        log(&admin, None, Some(rows.task)).await,
        log(&admin, Some(rows.paused), None).await,
    ];
    let expected = [vec![rows.ended, sent], vec![sent], vec![rows.waiting]];
    assert_eq!(found, expected);
}

#[tokio::test]
async fn deleted_task_log_remains_and_costs_strangers_nothing() {
    let world = World::start().await;
    let (owner, task) = (world.of(OWNER), world.rows.task);
    let sent = owner.run_task(task).await.unwrap();
    owner.delete_task(task).await.unwrap();
    assert_eq!(log(&owner, None, Some(task)).await, sent.deliveries);
    world.store.looked_up();
    for user in [BESIDE, STRANGER, ABROAD] {
        assert_eq!(log(&world.of(user), None, Some(task)).await, []);
    }
    assert_eq!(world.store.looked_up(), BTreeSet::new());
}
