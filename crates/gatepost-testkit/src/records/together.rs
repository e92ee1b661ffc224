//! Records that are stored in one commit.

use gatepost_ids::OwnerId;
use gatepost_storage::owners::RecordUsage;
use gatepost_storage::webhooks::{EventQuery, NewRecords};
use gatepost_storage::{ErrorKind, Page, Scope};
use webhook_model::{Action, TaskId, WebhookId};

use crate::fixtures::{at, event, task, webhook_of};
use crate::harness::Webhooks;
use crate::world::{events_in, set};

/// A limit for the number of each, with no limit of bytes.
fn at_most(webhooks: u64, tasks: u64, events: u64) -> RecordUsage {
    RecordUsage {
        webhooks,
        tasks,
        events,
        bytes: u64::MAX,
    }
}

/// A webhook, the task that sends it and the events that run it must be stored together, each
/// naming the one before it, whatever the caller passes; if one of them is refused, none may be
/// stored.
pub async fn r44_records_are_stored_together_or_not_at_all(store: Webhooks) {
    let records = &store.records;
    let theirs = set(&store, 2, "w").await;
    let new = |name: &str| NewRecords {
        webhook: Some(webhook_of(1, name)),
        task: Some(task(WebhookId(i64::MAX))),
        events: vec![event(TaskId(i64::MAX)), event(TaskId(i64::MAX))],
    };
    let usage = async |owner| records.record_usage(OwnerId(owner)).await.unwrap();

    let refused = records
        .insert_records(new("a"), &at_most(9, 9, 1), at(0))
        .await;
    let kind = refused.map_err(|error| error.kind());
    assert_eq!(
        kind,
        Err(ErrorKind::Full),
        "R44 the second event is one too many"
    );
    assert_eq!(usage(1).await, RecordUsage::default(), "R44 none is stored");

    let stored = records
        .insert_records(new("a"), &at_most(1, 1, 2), at(0))
        .await;
    let stored = stored.expect("R44 the name is free, and the limit not reached");
    let (webhook, made) = (stored.webhook.unwrap(), stored.task.unwrap());
    assert!(
        matches!(made.value.action, Action::Send { webhook: sent, .. } if sent == webhook.id),
        "R44 the task sends it"
    );
    assert_eq!((webhook.owner.0, made.owner.0), (1, 1), "R44 owners");
    for row in &stored.events {
        assert_eq!((row.value.task, row.owner.0), (made.id, 1), "R44 events");
        let kept = records.event(row.id).await.unwrap();
        assert_eq!(kept.as_ref(), Some(row), "R44 kept");
    }
    assert_eq!(stored.events.len(), 2, "R44 all events");
    assert_eq!(
        records.task(made.id).await.unwrap(),
        Some(made.clone()),
        "R44 kept"
    );
    let before = usage(1).await;

    let taken = records
        .insert_records(new("a"), &at_most(9, 9, 9), at(1))
        .await;
    let kind = taken.map_err(|error| error.kind());
    assert_eq!(kind, Err(ErrorKind::Conflict), "R44 the name is taken");
    let mut missing = NewRecords::from(task(theirs.webhook));
    missing.events = vec![event(made.id); 9];
    let full = records
        .insert_records(missing.clone(), &at_most(9, 9, 9), at(1))
        .await;
    let kind = full.map_err(|error| error.kind());
    assert_eq!(
        kind,
        Err(ErrorKind::Full),
        "R44 nine events and one that there was"
    );
    missing.task = Some(task(WebhookId(theirs.webhook.0 + 1000)));
    let lost = records
        .insert_records(missing, &at_most(9, 9, 9), at(1))
        .await;
    let kind = lost.map_err(|error| error.kind());
    assert_eq!(
        kind,
        Err(ErrorKind::Invalid),
        "R44 its webhook does not exist"
    );
    assert_eq!(usage(1).await, before, "R44 nothing of the refused");
    assert_eq!(
        usage(2).await.tasks,
        1,
        "R44 nothing of the refused, with another"
    );

    let query = EventQuery {
        task: Some(made.id),
        ..events_in(Scope::All, Page::first(9))
    };
    let listed = records.list_events(&query).await.unwrap();
    assert_eq!(listed, stored.events, "R44 listed");
}
