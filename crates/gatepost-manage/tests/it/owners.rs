//! A task and its events belong to the webhook's owner; names are the owner's own.

use gatepost_keys::OwnerId;
use gatepost_manage::ManageError;
use gatepost_storage::webhooks::{Cascade, EventQuery, TaskQuery};
use gatepost_storage::{Page, Scope};
use gatepost_testkit::fault::When;
use webhook_model::WebhookId;

use crate::users::{ADMIN, BESIDE, OWNER, STRANGER, TENANT};
use crate::world::{World, event, task, webhook};

#[tokio::test]
async fn task_is_owned_by_owner_of_its_webhook() {
    let world = World::start().await;
    let (admin, owner) = (world.of(TENANT), world.of(OWNER));
    let made = task(TENANT, "by the administrator", world.rows.webhook);
    let made = admin.create_task(made).await.unwrap();
    assert_eq!(made.owner, OwnerId(OWNER));
    assert_eq!(made.value.creator, OwnerId(TENANT), "for display");
    let fired = admin.create_event(event(made.id)).await.unwrap();
    assert_eq!(fired.owner, OwnerId(OWNER));
    // The owner does with it what an owner does.
    owner.disable_task(made.id).await.unwrap();
    owner.delete_event(fired.id).await.unwrap();
    owner.delete_task(made.id).await.unwrap();
    // A user who made tasks and may not see them any more does not.
    let beside = world.of(BESIDE);
    let creator = Some(OwnerId(BESIDE));
    let made = task(BESIDE, "for display", world.rows.webhook);
    let made = world.engine.create_task(&made).await.unwrap();
    let hidden = beside.task(made.id).await;
    assert!(matches!(hidden, Err(ManageError::NotFound)), "{hidden:?}");
    let query = TaskQuery {
        scope: Scope::All,
        creator,
        webhook: None,
        name: None,
        page: Page::first(10),
    };
    assert!(beside.tasks(&query).await.unwrap().rows.is_empty());
    assert_eq!(owner.tasks(&query).await.unwrap().rows.len(), 1);
}

#[tokio::test]
async fn task_moves_with_events_to_new_webhooks_owner() {
    let world = World::start().await;
    let rows = world.rows;
    let hook = webhook(BESIDE, "theirs");
    let hook = world.of(BESIDE).create_webhook(hook).await.unwrap().id;
    let to = move |hook: WebhookId| {
        move |edited: &mut webhook_model::Task| {
            edited.action = task(OWNER, "x", hook).action;
            Ok(())
        }
    };
    let refused = world.of(OWNER).edit_task(rows.task, to(hook)).await;
    let dangling = matches!(refused, Err(ManageError::Dangling { field: "owner" }));
    assert!(dangling, "{refused:?}");
    let moved = world.of(TENANT).edit_task(rows.task, to(hook)).await;
    assert_eq!(moved.unwrap().owner, OwnerId(BESIDE));
    let events = EventQuery {
        scope: Scope::All,
        task: Some(rows.task),
        event_type: None,
        page: Page::first(10),
    };
    assert!(world.of(OWNER).task(rows.task).await.is_err());
    assert!(world.of(OWNER).event(rows.event).await.is_err());
    assert_eq!(world.of(OWNER).events(&events).await.unwrap().rows.len(), 0);
    assert_eq!(
        world.of(BESIDE).events(&events).await.unwrap().rows.len(),
        1
    );
    world.of(BESIDE).delete_event(rows.event).await.unwrap();
}

#[tokio::test]
async fn webhook_name_must_be_unique_only_per_owner() {
    let world = World::start().await;
    for user in [BESIDE, STRANGER, ADMIN] {
        let actor = world.of(user);
        let made = actor.create_webhook(webhook(user, "sent")).await.unwrap();
        let again = actor.create_webhook(webhook(user, "sent")).await;
        let taken = matches!(
            again,
            Err(ManageError::NameTaken {
                table: "webhook_urls"
            })
        );
        assert!(taken, "{again:?}");
        // The name of a deleted record is free immediately.
        actor
            .delete_webhook(made.id, Cascade::Refuse)
            .await
            .unwrap();
        actor.create_webhook(webhook(user, "sent")).await.unwrap();
    }
}

#[tokio::test]
async fn webhook_in_use_names_tasks_but_cascade_deletes() {
    let world = World::start().await;
    let made = task(TENANT, "by the administrator", world.rows.webhook);
    world.of(TENANT).create_task(made).await.unwrap();
    let owner = world.of(OWNER);
    let refused = owner.delete_webhook(world.rows.webhook, Cascade::Refuse);
    let Err(ManageError::InUse { tasks, more: 0 }) = refused.await else {
        panic!("deleted");
    };
    assert_eq!(tasks, ["task", "by the administrator"]);
    assert_eq!(owner.count_tasks(world.rows.webhook).await.unwrap(), 2);
    owner
        .delete_webhook(world.rows.webhook, Cascade::Tasks)
        .await
        .unwrap();
}

/// Between the check and the change an administrator gives the task to another owner.
#[tokio::test]
async fn former_owner_cannot_disable_task_moved_concurrently() {
    let world = World::start().await;
    let hook = webhook(BESIDE, "theirs");
    let hook = world.of(BESIDE).create_webhook(hook).await.unwrap().id;
    let (gate, id) = (world.store.gate(), world.rows.task);
    gate.hold("update_task", 1, When::Before);
    let owner = world.of(OWNER);
    let switched_off = tokio::spawn(async move { owner.disable_task(id).await });
    gate.arrived().await;
    let administrator = world.of(TENANT);
    let moved = administrator.edit_task(id, move |edited| {
        edited.action = task(OWNER, "x", hook).action;
        Ok(())
    });
    assert_eq!(moved.await.unwrap().owner, OwnerId(BESIDE));
    gate.open();
    let answer = switched_off.await.unwrap();
    assert!(answer.is_err(), "{answer:?}");
    assert!(world.of(BESIDE).task(id).await.unwrap().value.enabled);
}
