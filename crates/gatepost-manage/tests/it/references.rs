//! A record may name only records that the caller may see, and its owner does not change.

use gatepost_keys::OwnerId;
use gatepost_manage::ManageError;
use webhook_model::{Action, TaskId, WebhookId};

use crate::world::{OWNER, STRANGER, World, event, task, webhook};

#[tokio::test]
async fn task_can_reference_only_webhooks_visible_to_maker() {
    let world = World::start().await;
    let stranger = world.of(STRANGER);
    let (foreign, gone) = (world.rows.webhook, WebhookId(99));
    let own = stranger.create_webhook(webhook(STRANGER, "own")).await;
    let own = stranger
        .create_task(task(STRANGER, "own", own.unwrap().id))
        .await
        .unwrap();
    let before = world.heard();
    for hidden in [foreign, gone] {
        let made = stranger.create_task(task(STRANGER, "new", hidden)).await;
        let edited = stranger.edit_task(own.id, move |task| {
            task.action = crate::world::task(STRANGER, "x", hidden).action;
            Ok(())
        });
        for answer in [made, edited.await] {
            let dangling = matches!(answer, Err(ManageError::Dangling { field: "owner" }));
            assert!(dangling, "{answer:?}");
        }
    }
    assert_eq!(stranger.task(own.id).await.unwrap().value, own.value);
    assert_eq!(world.heard(), before);
}

/// The first time `edit` names the caller's own webhook, and then another's.
#[tokio::test]
async fn an_edit_that_changes_its_mind_gets_nowhere() {
    let world = World::start().await;
    let stranger = world.of(STRANGER);
    let own = stranger.create_webhook(webhook(STRANGER, "own")).await;
    let other = stranger.create_webhook(webhook(STRANGER, "other")).await;
    let other = other.unwrap().id;
    let own = stranger
        .create_task(task(STRANGER, "own", own.unwrap().id))
        .await
        .unwrap();
    let (foreign, mut calls) = (world.rows.webhook, 0);
    let edited = stranger.edit_task(own.id, move |task| {
        calls += 1;
        if let Action::Send { webhook, .. } = &mut task.action {
            *webhook = if calls == 1 { other } else { foreign };
        }
        Ok(())
    });
    let edited = edited.await;
    let refused = matches!(edited, Err(ManageError::Invalid { field: "owner", .. }));
    assert!(refused, "{edited:?}");
    assert_eq!(stranger.task(own.id).await.unwrap().value, own.value);
}

#[tokio::test]
async fn event_can_reference_only_tasks_visible_to_maker() {
    let world = World::start().await;
    let stranger = world.of(STRANGER);
    let own = stranger.create_webhook(webhook(STRANGER, "own")).await;
    let own = stranger
        .create_task(task(STRANGER, "own", own.unwrap().id))
        .await
        .unwrap();
    let own = stranger.create_event(event(own.id)).await.unwrap();
    let before = world.heard();
    for hidden in [world.rows.task, TaskId(99)] {
        let made = stranger.create_event(event(hidden)).await;
        let edited = stranger.edit_event(own.id, move |event| {
            event.task = hidden;
            Ok(())
        });
        for answer in [made, edited.await] {
            let dangling = matches!(answer, Err(ManageError::Dangling { field: "task" }));
            assert!(dangling, "{answer:?}");
        }
    }
    assert_eq!(world.heard(), before);
}

#[tokio::test]
async fn edit_cannot_transfer_record_to_another_user() {
    let world = World::start().await;
    let owner = world.of(OWNER);
    let edited = owner.edit_webhook(world.rows.webhook, |webhook| {
        webhook.owner = OwnerId(STRANGER);
        Ok(())
    });
    assert_eq!(edited.await.unwrap().value.owner, OwnerId(OWNER));
    let edited = owner.edit_task(world.rows.task, |task| {
        task.creator = OwnerId(STRANGER);
        Ok(())
    });
    assert_eq!(edited.await.unwrap().value.creator, OwnerId(OWNER));
}
