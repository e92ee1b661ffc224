//! The owner of a record.

use gatepost_ids::{OwnerId, Realm};
use gatepost_storage::webhooks::{Cascade, RecordHead, RecordId};
use webhook_model::{Action, Activity, TaskId};

use crate::fixtures::{UNLIMITED, at, event, place, task, tenant, webhook_of};
use crate::harness::Webhooks;
use crate::world::set;

/// A change of a record moves the version of its owner's realm and of no other.
pub async fn r22_a_change_moves_its_own_place_alone(store: Webhooks) {
    let places = [Realm::Shared, tenant(1), tenant(2), Realm::System];
    for (owner, to) in [(1, tenant(1)), (2, tenant(2)), (3, Realm::System)] {
        place(&store, owner, to).await;
    }
    for (owner, own) in [(1, tenant(1)), (4, Realm::Shared), (3, Realm::System)] {
        let before = store.records.routes_versions(&places).await.unwrap();
        set(&store, owner, "w").await;
        let after = store.records.routes_versions(&places).await.unwrap();
        for ((place, before), after) in places.iter().zip(before).zip(after) {
            assert_eq!(
                after > before,
                *place == own,
                "R22 {place} by owner {owner}"
            );
        }
    }
}

/// A task's owner is its webhook's, and an event's its task's, whoever made them and whatever a
/// caller writes, also when the task is given another webhook; a webhook's owner never changes.
pub async fn r23_a_tasks_owner_is_its_webhooks(store: Webhooks) {
    let records = &store.records;
    let (mine, theirs) = (set(&store, 1, "w").await, set(&store, 2, "w").await);
    place(&store, 2, tenant(2)).await;
    let mut new = task(theirs.webhook);
    new.creator = OwnerId(1);
    let made = records.insert_task(&new, UNLIMITED, at(0)).await.unwrap();
    let on = records
        .insert_event(&event(made.id), UNLIMITED, at(0))
        .await
        .unwrap();
    assert_eq!(
        (made.owner, on.owner),
        (OwnerId(2), OwnerId(2)),
        "R23 inserted"
    );
    assert_eq!(made.value.creator, OwnerId(1), "R23 who made it");

    let before = records
        .routes_versions(&[Realm::Shared, tenant(2)])
        .await
        .unwrap();
    let mut row = records.task(mine.task).await.unwrap().unwrap();
    row.owner = OwnerId(77);
    let Action::Send { webhook, .. } = &mut row.value.action else {
        panic!("R23 the task sends nothing");
    };
    *webhook = theirs.webhook;
    let moved = records.update_task(&row, UNLIMITED, at(1)).await.unwrap();
    assert_eq!(moved.owner, OwnerId(2), "R23 given another webhook");
    let followed = records.event(mine.event).await.unwrap().unwrap();
    assert_eq!(followed.owner, OwnerId(2), "R23 its events follow");
    let after = records
        .routes_versions(&[Realm::Shared, tenant(2)])
        .await
        .unwrap();
    assert!(
        after[0] > before[0] && after[1] > before[1],
        "R23 both places move"
    );

    let mut row = records.event(mine.event).await.unwrap().unwrap();
    let back = records
        .insert_task(&task(mine.webhook), UNLIMITED, at(2))
        .await;
    row.value.task = back.unwrap().id;
    let row = records.update_event(&row, UNLIMITED, at(2)).await.unwrap();
    assert_eq!(row.owner, OwnerId(1), "R23 given another task");

    let mut row = records.webhook(mine.webhook).await.unwrap().unwrap();
    row.owner = OwnerId(2);
    row.value.owner = OwnerId(2);
    row.value.name = "free".parse().unwrap();
    let row = records
        .update_webhook(&row, UNLIMITED, at(3))
        .await
        .unwrap();
    assert_eq!(
        (row.owner, row.value.owner),
        (OwnerId(1), OwnerId(1)),
        "R23 webhook"
    );
}

/// Who owns a record is found for each of the three, and nobody for one that is not there.
pub async fn r24_the_owner_of_a_record_is_found(store: Webhooks) {
    set(&store, 1, "w").await;
    let of = set(&store, 2, "w").await;
    let found = async |id| store.records.owner_of(id).await.unwrap();
    let ids = [
        RecordId::Webhook(of.webhook),
        RecordId::Task(of.task),
        RecordId::Event(of.event),
    ];
    for id in ids {
        assert_eq!(found(id).await, Some(OwnerId(2)), "R24 {id:?}");
    }
    let missing = RecordId::Task(TaskId(of.task.0 + 1000));
    assert_eq!(found(missing).await, None, "R24 missing");
    store.records.delete_task(of.task, at(1)).await.unwrap();
    assert_eq!(found(ids[1]).await, None, "R24 deleted");
    assert_eq!(found(ids[2]).await, None, "R24 deleted with it");
}

/// Webhooks asked for by number come in order, each once; those that are not there are left out.
pub async fn r25_webhooks_come_by_number(store: Webhooks) {
    let records = &store.records;
    let mut ids = Vec::new();
    for (owner, name) in [(1, "a"), (2, "a"), (1, "b")] {
        let hook = webhook_of(owner, name);
        let row = records.insert_webhook(&hook, UNLIMITED, at(0)).await;
        ids.push(row.unwrap().id);
    }
    let missing = webhook_model::WebhookId(ids[2].0 + 1000);
    let asked = [ids[2], missing, ids[0], ids[2]];
    let found = records.webhooks(&asked).await.unwrap();
    let found: Vec<_> = found.iter().map(|row| row.id).collect();
    assert_eq!(found, [ids[0], ids[2]], "R25");
    assert_eq!(
        records.webhooks(&[]).await.unwrap(),
        [],
        "R25 none asked for"
    );
}

/// Tasks that are asked for together come each once, in order of their numbers, with their messages
/// and revisions; those that are not there are left out.
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

/// Heads come in the order that was asked for, one for each: whose a record is, its name, which an
/// event has not, and whether it is used; nothing for those that are not there.
pub async fn r41_heads_say_what_their_records_say(store: Webhooks) {
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

/// Where everything can be read nothing is listed as unreadable.
pub async fn r27_what_can_be_read_is_not_unreadable(store: Webhooks) {
    use gatepost_storage::Scope;
    set(&store, 1, "w").await;
    for scope in [Scope::All, Scope::Owner(OwnerId(1))] {
        let found = store.records.unreadable(scope, 9).await.unwrap();
        assert_eq!(found, [], "R27");
    }
}
