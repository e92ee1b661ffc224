//! The quotas of an owner's records.

use gatepost_ids::OwnerId;
use gatepost_storage::owners::RecordUsage;
use gatepost_storage::webhooks::Cascade;
use gatepost_storage::{AtMost, ErrorKind, StoreError};
use webhook_model::{Action, Task};

use crate::fields::full_webhook;
use crate::fixtures::{UNLIMITED, at, event, full_event, full_task, task, webhook_of};
use crate::harness::Webhooks;
use crate::world::set;

fn full<T>(answer: Result<T, StoreError>) -> Option<&'static str> {
    let error = answer.err()?;
    assert_eq!(error.kind(), ErrorKind::Full, "R28 R29 kind");
    Some(error.context())
}

fn bytes(bytes: u64) -> AtMost {
    AtMost { bytes, ..UNLIMITED }
}

/// An owner's webhooks, tasks and events may together have as many bytes as each change allows, to
/// the byte; a record that does not grow must be stored however many there are.
pub async fn r29_no_more_bytes_than_allowed(store: Webhooks) {
    let records = &store.records;
    let theirs = set(&store, 2, "w").await;
    let used = async || records.record_usage(OwnerId(1)).await.unwrap().bytes;
    let hook = webhook_of(1, "w");
    let edge = hook.stored_bytes();
    let refused = records.insert_webhook(&hook, bytes(edge - 1), at(0)).await;
    assert_eq!(full(refused), Some("bytes"), "R29 webhook");
    let hook = records
        .insert_webhook(&hook, bytes(edge), at(0))
        .await
        .unwrap();

    let new = task(hook.id);
    let edge = used().await + new.stored_bytes();
    let refused = records.insert_task(&new, bytes(edge - 1), at(0)).await;
    assert_eq!(full(refused), Some("bytes"), "R29 task");
    let made = records.insert_task(&new, bytes(edge), at(0)).await.unwrap();

    let new = event(made.id);
    let edge = used().await + new.stored_bytes();
    let refused = records.insert_event(&new, bytes(edge - 1), at(0)).await;
    assert_eq!(full(refused), Some("bytes"), "R29 event");
    let on = records
        .insert_event(&new, bytes(edge), at(0))
        .await
        .unwrap();

    let mut grown = made.clone();
    grown.value = with_message(&made.value, "twice the message, and then some more");
    let edge = used().await - made.value.stored_bytes() + grown.value.stored_bytes();
    let refused = records.update_task(&grown, bytes(edge - 1), at(1)).await;
    assert_eq!(full(refused), Some("bytes"), "R29 a task that grows");
    let grown = records
        .update_task(&grown, bytes(edge), at(1))
        .await
        .unwrap();
    let mut edit = grown.clone();
    edit.value = with_message(&made.value, "short");
    let shrunk = records.update_task(&edit, bytes(1), at(2)).await;
    assert!(shrunk.is_ok(), "R29 a task that shrinks");

    let mut edit = on.clone();
    edit.value = full_event(made.id);
    let edge = used().await - on.value.stored_bytes() + edit.value.stored_bytes();
    let refused = records.update_event(&edit, bytes(edge - 1), at(1)).await;
    assert_eq!(full(refused), Some("bytes"), "R29 an event that grows");
    assert!(
        records
            .update_event(&edit, bytes(edge), at(1))
            .await
            .is_ok(),
        "R29"
    );

    let mut edit = hook.clone();
    edit.value = full_webhook();
    let edge = used().await - hook.value.stored_bytes() + edit.value.stored_bytes();
    let refused = records.update_webhook(&edit, bytes(edge - 1), at(1)).await;
    assert_eq!(full(refused), Some("bytes"), "R29 a webhook that grows");
    let same = records.update_webhook(&hook, bytes(1), at(1)).await;
    assert!(same.is_ok(), "R29 a webhook as large as before");

    let mut edit = records.task(made.id).await.unwrap().unwrap();
    let on = records.event(on.id).await.unwrap().unwrap();
    edit.value = task(theirs.webhook);
    let theirs = records.record_usage(OwnerId(2)).await.unwrap().bytes;
    let edge = theirs + edit.value.stored_bytes() + on.value.stored_bytes();
    let refused = records.update_task(&edit, bytes(edge - 1), at(3)).await;
    assert_eq!(full(refused), Some("bytes"), "R29 another owner's task");
    let moved = records.update_task(&edit, bytes(edge), at(3)).await;
    assert!(moved.is_ok(), "R29 with its event");
}

fn with_message(task: &Task, text: &str) -> Task {
    let Action::Send { webhook, .. } = task.action else {
        panic!("R29 the task sends nothing");
    };
    let message = text.repeat(4).parse().unwrap();
    Task {
        action: Action::Send { webhook, message },
        ..task.clone()
    }
}

/// The usage of an owner must be counted as it is at the time of the call: the rows of each table,
/// and the bytes of all.
pub async fn r30_usage_counts_existing_records(store: Webhooks) {
    let records = &store.records;
    let used = async |owner| records.record_usage(OwnerId(owner)).await.unwrap();
    assert_eq!(used(7).await, RecordUsage::default(), "R30 nothing");
    let theirs = set(&store, 2, "w").await;
    let hook = records
        .insert_webhook(&full_webhook(), UNLIMITED, at(0))
        .await
        .unwrap();
    let made = records
        .insert_task(&full_task(hook.id), UNLIMITED, at(0))
        .await
        .unwrap();
    let on = records
        .insert_event(&full_event(made.id), UNLIMITED, at(0))
        .await
        .unwrap();
    let mut wanted = RecordUsage {
        webhooks: 1,
        tasks: 1,
        events: 1,
        bytes: hook.value.stored_bytes() + made.value.stored_bytes() + on.value.stored_bytes(),
    };
    assert_eq!(used(7).await, wanted, "R30 inserted");
    let mut edit = made.clone();
    edit.value = task(hook.id);
    records.update_task(&edit, UNLIMITED, at(1)).await.unwrap();
    wanted.bytes = wanted.bytes + edit.value.stored_bytes() - made.value.stored_bytes();
    assert_eq!(used(7).await, wanted, "R30 edited");
    let before = used(2).await;
    let mut row = records.task(theirs.task).await.unwrap().unwrap();
    let moved = records.event(theirs.event).await.unwrap().unwrap();
    row.value.action = task(hook.id).action;
    let row = records.update_task(&row, UNLIMITED, at(1)).await.unwrap();
    let came = row.value.stored_bytes() + moved.value.stored_bytes();
    wanted = RecordUsage {
        tasks: 2,
        events: 2,
        bytes: wanted.bytes + came,
        ..wanted
    };
    assert_eq!(used(7).await, wanted, "R30 a task and its events came");
    let left = RecordUsage {
        webhooks: 1,
        bytes: before.bytes - came,
        ..RecordUsage::default()
    };
    assert_eq!(used(2).await, left, "R30 and left");
    records.delete_task(made.id, at(2)).await.unwrap();
    let deleted = records.delete_webhook(hook.id, Cascade::Tasks, at(2)).await;
    assert!(deleted.is_ok(), "R30 deletion");
    assert_eq!(used(7).await, RecordUsage::default(), "R30 deleted");
}
