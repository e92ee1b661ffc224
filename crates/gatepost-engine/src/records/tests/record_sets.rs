//! A task, its events and its webhook are created together.

use gatepost_ids::Quota;
use gatepost_storage::webhooks::{NewRecords, RecordStore as _};
use webhook_model::Event;

use super::quotas::{of, task, webhook};
use super::*;

const NO_TASK: TaskId = TaskId(0);

/// An event on a machine.
fn event(machine: u32) -> Event {
    let (of, name) = ("vms".parse().unwrap(), "poweron".parse().unwrap());
    Event::new(of, name, Target::Instance(machine.into()), NO_TASK)
}

/// A new webhook, the task that sends it, and events that run that.
fn records(events: Vec<Event>) -> NewRecords {
    NewRecords {
        webhook: Some(webhook(1, "new")),
        task: Some(task(WebhookId(0), false)),
        events,
    }
}

#[tokio::test]
async fn records_together_belong_to_each_other_and_match() {
    let (_records, bench) = of(Quota::default()).await;
    let engine = bench.engine();
    let stored = engine.create_records(records(vec![event(1), event(2)]));
    let stored = stored.await.unwrap();
    let (hook, first) = (stored.webhook.unwrap(), stored.task.unwrap().id);
    let tasks: Vec<_> = stored.events.iter().map(|row| row.value.task).collect();
    assert_eq!(tasks, [first, first]);
    let both = engine.create_records(NewRecords {
        webhook: None,
        task: Some(task(hook.id, false)),
        events: vec![event(3)],
    });
    let both = both.await.unwrap();
    assert_eq!(both.task.unwrap().owner, hook.owner);
    assert_eq!(both.events[0].owner, hook.owner);
}

#[tokio::test]
async fn one_refused_record_keeps_all_from_being_stored() {
    let quota = Quota::default().with_webhooks(2).with_events(3);
    let (store, bench) = of(quota).await;
    let engine = bench.engine();
    let usage = async || store.store.record_usage(webhook(1, "x").owner).await;
    let refused = async |records: NewRecords| {
        let before = usage().await.unwrap();
        let error = engine.create_records(records).await.unwrap_err();
        assert_eq!(usage().await.unwrap(), before, "{error}");
        error.to_string()
    };
    let mut unknown = event(2);
    unknown.event = "exploded".parse().unwrap();
    let said = refused(records(vec![event(1), unknown])).await;
    assert_eq!(said, "event: is not an event of this type");
    let said = refused(records((1..=4).map(event).collect())).await;
    assert_eq!(said, "You have 0 of 3 events");
    let many = (0..=100).map(event).collect();
    let said = refused(records(many)).await;
    assert_eq!(said, "event: has more than 100 entries");
    let said = refused(NewRecords::default()).await;
    assert_eq!(said, "event: is required");
    let nowhere = NewRecords {
        webhook: None,
        ..records(vec![event(1)])
    };
    assert_eq!(refused(nowhere).await, "owner: does not exist");
    let alone = NewRecords {
        events: vec![event(1)],
        ..NewRecords::default()
    };
    assert_eq!(refused(alone).await, "task: does not exist");

    let theirs = engine.create_webhook(&webhook(2, "theirs")).await;
    let theirs = engine.create_task(&task(theirs.unwrap().id, false)).await;
    let mut foreign = event(1);
    foreign.task = theirs.unwrap().id;
    let mixed = NewRecords {
        task: None,
        ..records(vec![foreign])
    };
    assert_eq!(refused(mixed).await, "task: does not exist");

    engine
        .create_records(records(vec![event(1)]))
        .await
        .unwrap();
    let said = refused(records(vec![event(1)])).await;
    assert_eq!(said, "a webhook of that name exists");
    let other = NewRecords {
        webhook: Some(webhook(1, "other")),
        ..records((1..=3).map(event).collect())
    };
    assert_eq!(refused(other).await, "You have 1 of 3 events");
}
