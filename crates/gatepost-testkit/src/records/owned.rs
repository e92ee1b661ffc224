//! The owner of a record.

use gatepost_ids::OwnerId;
use gatepost_storage::webhooks::{Cascade, RecordHead, RecordId};
use webhook_model::{Action, Activity, TaskId};

use crate::fixtures::{UNLIMITED, at};
use crate::harness::Webhooks;
use crate::world::set;

/// Tasks that are requested together must be returned once each, by row number, with their messages
/// and revisions; those that do not exist must be left out.
pub async fn r26_tasks_come_with_their_messages(store: Webhooks) {
    let records = &store.records;
    let (a, b) = (set(&store, 1, "a").await, set(&store, 2, "b").await);
    let mut row = records.task(b.task).await.unwrap().unwrap();
    row.value.action = Action::Send {
        webhook: b.webhook,
        message: "é\0 {{name}}".parse().unwrap(),
    };
    let row = records.update_task(&row, UNLIMITED, at(1)).await.unwrap();
    let asked = [b.task, TaskId(b.task.0 + 1000), a.task, b.task];
    let found = records.tasks(&asked).await.unwrap();
    let ids: Vec<_> = found.iter().map(|task| task.id).collect();
    assert_eq!(ids, [a.task, b.task], "R26 those that are there");
    assert_eq!(found[1], row, "R26 byte for byte, at its revision");
    assert!(found[0].revision < row.revision, "R26 the other's revision");
}

/// Heads must be returned in the order of the request, one for each: the owner of the record, its
/// name (an event has none), and whether it is enabled; none for a record that does not exist.
pub async fn r41_heads_agree_with_their_records(store: Webhooks) {
    let records = &store.records;
    let (a, b) = (set(&store, 1, "a").await, set(&store, 2, "b").await);
    let mut row = records.task(a.task).await.unwrap().unwrap();
    row.value.name = "é 2".parse().unwrap();
    row.value.enabled = false;
    records.update_task(&row, UNLIMITED, at(1)).await.unwrap();
    let mut row = records.webhook(b.webhook).await.unwrap().unwrap();
    row.value.activity = Activity::Disabled;
    records
        .update_webhook(&row, UNLIMITED, at(1))
        .await
        .unwrap();
    let gone = set(&store, 1, "gone").await;
    let deleted = records.delete_webhook(gone.webhook, Cascade::Tasks, at(1));
    deleted.await.unwrap();
    let other = records.task(b.task).await.unwrap().unwrap().value.name;
    let head = |record, owner, name: Option<&str>, enabled| {
        let head = RecordHead {
            record,
            owner: OwnerId(owner),
            name: name.map(str::to_owned),
            enabled,
        };
        (record, Some(head))
    };
    let [a_task, b_task] = [a.task, b.task].map(RecordId::Task);
    let expected = [
        head(b_task, 2, Some(other.as_str()), true),
        (RecordId::Task(TaskId(gone.task.0 + 1000)), None),
        head(a_task, 1, Some("é 2"), false),
        (RecordId::Task(gone.task), None),
        (RecordId::Webhook(gone.webhook), None),
        (RecordId::Event(gone.event), None),
        head(RecordId::Event(b.event), 2, None, true),
        head(RecordId::Webhook(a.webhook), 1, Some("a"), true),
        head(RecordId::Webhook(b.webhook), 2, Some("b"), false),
        head(b_task, 2, Some(other.as_str()), true),
    ];
    let asked = expected.each_ref().map(|(record, _)| *record);
    let found = records.record_heads(&asked).await.unwrap();
    let found: Vec<_> = found.into_iter().map(Result::unwrap).collect();
    let expected: Vec<_> = expected.into_iter().map(|(_, head)| head).collect();
    assert_eq!(found, expected, "R41");
    let none = records.record_heads(&[]).await.unwrap();
    assert!(none.is_empty(), "R41 none asked for");
}

/// If all records can be read, none may be listed as unreadable.
pub async fn r27_readable_records_are_not_listed_as_unreadable(store: Webhooks) {
    use gatepost_storage::Scope;
    set(&store, 1, "w").await;
    for scope in [Scope::All, Scope::Owner(OwnerId(1))] {
        let found = store.records.unreadable(scope, 9).await.unwrap();
        assert_eq!(found, [], "R27");
    }
}
