//! References between records.

use gatepost_ids::Realm;
use gatepost_storage::webhooks::{Cascade, DeliveryQuery, EventRoute, NewDelivery, TaskRoute};
use gatepost_storage::{ErrorKind, Page, StoreError};
use webhook_model::{TaskId, WebhookId};

use crate::fixtures::{UNLIMITED, at, direct, event, message, routes, task};
use crate::harness::Webhooks;
use crate::world::set;

fn kind<T>(answer: Result<T, StoreError>) -> Option<ErrorKind> {
    answer.err().map(|e| e.kind())
}

/// A task of a webhook that does not exist is refused, new or edited, and nothing is stored.
pub async fn r09_a_task_needs_its_webhook(store: Webhooks) {
    let records = &store.records;
    let (hook, made, _) = set(&store, 1, "w").await.rows(&store).await;
    let nowhere = WebhookId(hook.id.0 + 1000);
    let refused = records.insert_task(&task(nowhere), UNLIMITED, at(0)).await;
    assert_eq!(kind(refused), Some(ErrorKind::Invalid), "R9 insert");
    let mut edit = made.clone();
    edit.value = task(nowhere);
    let refused = records.update_task(&edit, UNLIMITED, at(1)).await;
    assert_eq!(kind(refused), Some(ErrorKind::Invalid), "R9 edit");
    let all = routes(&store, Realm::Shared).await.tasks;
    assert_eq!(all, [TaskRoute::of(&made).unwrap()], "R9 nothing stored");
}

/// An event of a task that does not exist is refused, new or edited, and nothing is stored.
pub async fn r10_an_event_needs_its_task(store: Webhooks) {
    let records = &store.records;
    let (_, made, on) = set(&store, 1, "w").await.rows(&store).await;
    let nowhere = TaskId(made.id.0 + 1000);
    let refused = records
        .insert_event(&event(nowhere), UNLIMITED, at(0))
        .await;
    assert_eq!(kind(refused), Some(ErrorKind::Invalid), "R10 insert");
    let mut edit = on.clone();
    edit.value = event(nowhere);
    let refused = records.update_event(&edit, UNLIMITED, at(1)).await;
    assert_eq!(kind(refused), Some(ErrorKind::Invalid), "R10 edit");
    let all = routes(&store, Realm::Shared).await.events;
    assert_eq!(all, [EventRoute::of(&on).unwrap()], "R10 nothing stored");
}

/// A webhook that a task sends is not deleted under `Cascade::Refuse`; one without a task is.
pub async fn r11_a_webhook_in_use_is_kept(store: Webhooks) {
    let records = &store.records;
    let made = set(&store, 1, "w").await;
    let refused = records
        .delete_webhook(made.webhook, Cascade::Refuse, at(1))
        .await;
    assert_eq!(kind(refused), Some(ErrorKind::InUse), "R11");
    assert!(
        records.webhook(made.webhook).await.unwrap().is_some(),
        "R11 kept"
    );
    assert!(
        records.task(made.task).await.unwrap().is_some(),
        "R11 task kept"
    );
    records.delete_task(made.task, at(2)).await.unwrap();
    let deleted = records
        .delete_webhook(made.webhook, Cascade::Refuse, at(3))
        .await;
    assert_eq!(kind(deleted), None, "R11 no longer in use");
}

/// A webhook is deleted with its tasks, their events and all its deliveries; those of other
/// webhooks stay.
pub async fn r12_a_deleted_webhook_takes_all_that_is_its(store: Webhooks) {
    let records = &store.records;
    let mut kept = Vec::new();
    for name in ["a", "b"] {
        let made = set(&store, 1, name).await;
        let batch = direct(vec![message(made.webhook, name, at(0))]);
        store.queue.enqueue(batch, at(0)).await.unwrap();
        kept.push(made);
    }
    let (gone, stays) = (kept[0], kept[1]);
    let deleted = records
        .delete_webhook(gone.webhook, Cascade::Tasks, at(1))
        .await;
    assert_eq!(kind(deleted), None, "R12");
    assert_eq!(records.task(gone.task).await.unwrap(), None, "R12 task");
    assert_eq!(records.event(gone.event).await.unwrap(), None, "R12 event");
    assert!(
        records.event(stays.event).await.unwrap().is_some(),
        "R12 the other's event"
    );
    let all = DeliveryQuery::all(Page::first(9));
    let left = store.log.list_deliveries(&all).await.unwrap();
    let left: Vec<_> = left.iter().map(|d| d.message_id.as_str()).collect();
    assert_eq!(left, ["b"], "R12 deliveries");
}

/// A task is deleted with its events; the deliveries that it made stay and name it.
pub async fn r13_a_deleted_task_leaves_its_deliveries(store: Webhooks) {
    let records = &store.records;
    let made = set(&store, 1, "w").await;
    let of_task = NewDelivery {
        task: Some(made.task),
        ..message(made.webhook, "a", at(0))
    };
    store
        .queue
        .enqueue(direct(vec![of_task]), at(0))
        .await
        .unwrap();
    records.delete_task(made.task, at(1)).await.unwrap();
    assert_eq!(records.event(made.event).await.unwrap(), None, "R13 event");
    let all = DeliveryQuery::all(Page::first(9));
    let left = store.log.list_deliveries(&all).await.unwrap();
    let tasks: Vec<_> = left.iter().map(|d| d.task).collect();
    assert_eq!(tasks, [Some(made.task)], "R13 delivery");
}
