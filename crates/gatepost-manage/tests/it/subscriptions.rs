//! A webhook, a task and its events are created together, or none of them.

use gatepost_engine::Quota;
use gatepost_keys::OwnerId;
use gatepost_manage::{ManageError, Operation};
use gatepost_storage::webhooks::NewRecords;
use webhook_model::{Event, Target, TaskId, Webhook, WebhookId};

use crate::world::{OWNER, STRANGER, World, event, task, webhook};

/// A task of this user for one event, and what it sends.
fn records(user: u128, webhook: Result<Webhook, WebhookId>) -> NewRecords {
    NewRecords {
        task: Some(task(
            user,
            "t",
            *webhook.as_ref().err().unwrap_or(&WebhookId(0)),
        )),
        webhook: webhook.ok(),
        events: vec![event(TaskId(0))],
    }
}

#[tokio::test]
async fn subscription_records_are_each_audited_as_creation() {
    let world = World::start().await;
    let stranger = world.of(STRANGER);
    let new = records(STRANGER, Ok(webhook(STRANGER, "new")));
    let (stored, secret) = stranger.subscribe(new, true).await.unwrap();
    let (webhook, task) = (stored.webhook.unwrap(), stored.task.unwrap());
    let signing: Vec<_> = webhook.value.signing.iter().collect();
    assert_eq!(signing, [&secret.unwrap()]);
    let audited = |table, row| (STRANGER, table, row, Operation::Create);
    let expected = [
        audited("webhook_urls", webhook.id.into()),
        audited("tasks", task.id.into()),
        audited("task_events", stored.events[0].id.into()),
    ];
    assert_eq!(world.heard(), expected);

    let (more, secret) = stranger
        .subscribe(records(STRANGER, Err(webhook.id)), true)
        .await
        .unwrap();
    assert_eq!((more.webhook, secret), (None, None));
    assert_eq!(world.heard().len(), 5);
}

#[tokio::test]
async fn unauthorized_or_invalid_subscription_stores_nothing() {
    let world = World::with(Quota::UNLIMITED.with_webhooks(2)).await;
    let stranger = world.of(STRANGER);
    let foreign = records(STRANGER, Err(world.rows.webhook));
    let answer = stranger.subscribe(foreign, false).await;
    let dangling = matches!(answer, Err(ManageError::Dangling { field: "owner" }));
    assert!(dangling, "{answer:?}");
    for wrong in [
        records(OWNER, Ok(webhook(STRANGER, "new"))),
        records(STRANGER, Ok(webhook(OWNER, "new"))),
    ] {
        let answer = stranger.subscribe(wrong, false).await;
        assert!(matches!(answer, Err(ManageError::Forbidden)), "{answer:?}");
    }
    let new = || records(STRANGER, Ok(webhook(STRANGER, "new")));
    let mut taskless = new();
    taskless.task = None;
    let answer = stranger.subscribe(taskless, false).await;
    let invalid = matches!(answer, Err(ManageError::Invalid { field: "task", .. }));
    assert!(invalid, "{answer:?}");
    let mut targetless = new();
    let (of, name) = ("vms".parse().unwrap(), "poweron".parse().unwrap());
    let bad = Event::new(of, name, Target::Generic, TaskId(0));
    targetless.events.push(bad);
    let answer = stranger.subscribe(targetless, false).await;
    let invalid = matches!(answer, Err(ManageError::Invalid { field: "owner", .. }));
    assert!(invalid, "{answer:?}");
    assert_eq!(world.heard(), []);
    let usage = async || world.engine.usage(OwnerId(STRANGER)).await.unwrap();
    assert_eq!(usage().await.records.webhooks, 0);

    let named = |name| records(STRANGER, Ok(webhook(STRANGER, name)));
    stranger.subscribe(named("first"), false).await.unwrap();
    stranger.subscribe(named("second"), false).await.unwrap();
    let full = stranger.subscribe(named("third"), false).await.unwrap_err();
    assert_eq!(full.text(), "You have 2 of 2 webhooks");
    assert_eq!(usage().await.records.tasks, 2);
}
