//! One row at a time: stored whole, edited by revision, not found when deleted.

use chrono::TimeDelta;
use gatepost_storage::ErrorKind;
use gatepost_storage::webhooks::{Cascade, NewDelivery};
use webhook_model::{Action, EventId, TaskId, WebhookId};

use crate::fields::full_webhook;
use crate::fixtures::{
    UNLIMITED, at, authorizations, direct, event, full_event, full_task, message, task, webhook,
    webhook_of,
};
use crate::harness::Webhooks;
use crate::secrecy::{of_a_webhook, tells_nothing};
use crate::world::set;

/// A record comes back as it was stored: texts byte for byte, headers in their order with
/// duplicates, secrets whole.
pub async fn r01_a_record_comes_back_as_it_was_stored(store: Webhooks) {
    let records = &store.records;
    let hook = records
        .insert_webhook(&full_webhook(), UNLIMITED, at(1))
        .await
        .unwrap();
    assert_eq!(hook.value, full_webhook(), "R1 webhook");
    let read = records.webhook(hook.id).await.unwrap();
    assert_eq!(read.as_ref(), Some(&hook), "R1 webhook, read");
    for authorization in authorizations() {
        let mut other = full_webhook();
        other.name = authorization.kind().as_str().parse().unwrap();
        other.authorization = authorization;
        let hook = records.insert_webhook(&other, UNLIMITED, at(1)).await;
        let read = records.webhook(hook.unwrap().id).await.unwrap();
        let read = read.map(|row| row.value);
        let kind = other.authorization.kind();
        assert_eq!(read.as_ref(), Some(&other), "R1 webhook of type {kind}");
    }
    let made = records
        .insert_task(&full_task(hook.id), UNLIMITED, at(2))
        .await
        .unwrap();
    assert_eq!(made.value, full_task(hook.id), "R1 task");
    let read = records.task(made.id).await.unwrap();
    assert_eq!(read.as_ref(), Some(&made), "R1 task, read");
    let on = records
        .insert_event(&full_event(made.id), UNLIMITED, at(3))
        .await;
    let on = on.unwrap();
    assert_eq!(on.value, full_event(made.id), "R1 event");
    let read = records.event(on.id).await.unwrap();
    assert_eq!(read.as_ref(), Some(&on), "R1 event, read");
    let positive = hook.id.0 > 0 && made.id.0 > 0 && on.id.0 > 0;
    assert!(positive, "R1 row numbers are positive");
}

/// Times are those that were passed, to the microsecond; an edit changes only `modified`.
pub async fn r02_times_are_kept_to_the_microsecond(store: Webhooks) {
    let records = &store.records;
    let made = at(0) + TimeDelta::microseconds(123_456);
    let row = records
        .insert_webhook(&webhook("w"), UNLIMITED, made)
        .await
        .unwrap();
    assert_eq!((row.created, row.modified), (made, made), "R2 inserted");
    let later = at(0) + TimeDelta::microseconds(654_321);
    records
        .update_webhook(&row, UNLIMITED, later)
        .await
        .unwrap();
    let row = records.webhook(row.id).await.unwrap().unwrap();
    assert_eq!((row.created, row.modified), (made, later), "R2 edited");
}

/// An owner has a name of a webhook once, another owner may have it too, and a deleted webhook's is
/// free at once; a refused insert or edit changes nothing.
pub async fn r03_an_owner_has_a_name_of_a_webhook_once(store: Webhooks) {
    let records = &store.records;
    let insert = async |hook| records.insert_webhook(&hook, UNLIMITED, at(0)).await;
    let a = insert(webhook("a")).await.unwrap();
    let again = insert(webhook("a")).await.err().map(|e| e.kind());
    assert_eq!(again, Some(ErrorKind::Conflict), "R3 insert");
    let theirs = insert(webhook_of(2, "a")).await;
    assert!(theirs.is_ok(), "R3 another owner's");
    let mut b = insert(webhook("b")).await.unwrap();
    b.value.name = "a".parse().unwrap();
    let edit = records.update_webhook(&b, UNLIMITED, at(1)).await;
    let edit = edit.err().map(|e| e.kind());
    assert_eq!(edit, Some(ErrorKind::Conflict), "R3 edit");
    let kept = records.webhook(b.id).await.unwrap().unwrap();
    assert_eq!(kept.value, webhook("b"), "R3 unchanged");
    let deleted = records.delete_webhook(a.id, Cascade::Refuse, at(1)).await;
    assert!(deleted.is_ok(), "R3 deleted");
    let edit = records.update_webhook(&b, UNLIMITED, at(2)).await;
    assert!(edit.is_ok(), "R3 free at once");
}

/// An edit with an old revision is refused and changes nothing.
pub async fn r04_a_stale_edit_is_refused(store: Webhooks) {
    let records = &store.records;
    let (hook, made, on) = set(&store, 1, "w").await.rows(&store).await;

    let new = records
        .update_webhook(&hook, UNLIMITED, at(1))
        .await
        .unwrap();
    assert!(new.revision > hook.revision, "R4 the revision moves");
    let stale = records.update_webhook(&hook, UNLIMITED, at(2)).await;
    assert_eq!(
        stale.err().map(|e| e.kind()),
        Some(ErrorKind::Stale),
        "R4 webhook"
    );
    let read = records.webhook(hook.id).await.unwrap();
    assert_eq!(read, Some(new), "R4 webhook unchanged");

    let new = records.update_task(&made, UNLIMITED, at(1)).await.unwrap();
    let stale = records.update_task(&made, UNLIMITED, at(2)).await;
    assert_eq!(
        stale.err().map(|e| e.kind()),
        Some(ErrorKind::Stale),
        "R4 task"
    );
    assert_eq!(
        records.task(made.id).await.unwrap(),
        Some(new),
        "R4 task unchanged"
    );

    let new = records.update_event(&on, UNLIMITED, at(1)).await.unwrap();
    let stale = records.update_event(&on, UNLIMITED, at(2)).await;
    assert_eq!(
        stale.err().map(|e| e.kind()),
        Some(ErrorKind::Stale),
        "R4 event"
    );
    assert_eq!(
        records.event(on.id).await.unwrap(),
        Some(new),
        "R4 event unchanged"
    );
}

/// Of sixteen edits at once of one revision, one succeeds.
pub async fn r05_one_of_racing_edits_wins(store: Webhooks) {
    let row = store
        .records
        .insert_webhook(&webhook("w"), UNLIMITED, at(0))
        .await
        .unwrap();
    let racers: Vec<_> = (0..16)
        .map(|_| {
            let (records, row) = (store.records.clone(), row.clone());
            tokio::spawn(
                async move { records.update_webhook(&row, UNLIMITED, at(1)).await.is_ok() },
            )
        })
        .collect();
    let mut won = 0;
    for racer in racers {
        won += u32::from(racer.await.unwrap());
    }
    assert_eq!(won, 1, "R5");
}

/// A missing record is read as `None`, and edits and deletions of it are `NotFound`.
pub async fn r06_what_is_missing_is_not_found(store: Webhooks) {
    let records = &store.records;
    let (mut hook, mut made, mut on) = set(&store, 1, "w").await.rows(&store).await;
    let beyond = |id: i64| id + 1000;
    hook.id = WebhookId(beyond(hook.id.0));
    made.id = TaskId(beyond(made.id.0));
    on.id = EventId(beyond(on.id.0));
    assert_eq!(records.webhook(hook.id).await.unwrap(), None, "R6 webhook");
    assert_eq!(records.task(made.id).await.unwrap(), None, "R6 task");
    assert_eq!(records.event(on.id).await.unwrap(), None, "R6 event");
    let refused = [
        records.update_webhook(&hook, UNLIMITED, at(1)).await.err(),
        records.update_task(&made, UNLIMITED, at(1)).await.err(),
        records.update_event(&on, UNLIMITED, at(1)).await.err(),
        records
            .delete_webhook(hook.id, Cascade::Tasks, at(1))
            .await
            .err(),
        records.delete_task(made.id, at(1)).await.err(),
        records.delete_event(on.id, at(1)).await.err(),
    ];
    for (n, error) in refused.into_iter().enumerate() {
        assert_eq!(
            error.map(|e| e.kind()),
            Some(ErrorKind::NotFound),
            "R6 call {n}"
        );
    }
}

/// A deleted record is gone at once, and its row number is not given out again.
pub async fn r07_a_deleted_record_is_gone_for_good(store: Webhooks) {
    let records = &store.records;
    let made = set(&store, 1, "w").await;
    records.delete_event(made.event, at(1)).await.unwrap();
    assert_eq!(records.event(made.event).await.unwrap(), None, "R7 event");
    let next = records
        .insert_event(&event(made.task), UNLIMITED, at(1))
        .await
        .unwrap();
    assert!(next.id > made.event, "R7 number of an event");
    records.delete_task(made.task, at(2)).await.unwrap();
    assert_eq!(records.task(made.task).await.unwrap(), None, "R7 task");
    let next = records
        .insert_task(&task(made.webhook), UNLIMITED, at(2))
        .await
        .unwrap();
    assert!(next.id > made.task, "R7 number of a task");
    let gone = records
        .delete_webhook(made.webhook, Cascade::Tasks, at(3))
        .await;
    assert!(gone.is_ok(), "R7 deletion");
    assert_eq!(
        records.webhook(made.webhook).await.unwrap(),
        None,
        "R7 webhook"
    );
    let next = records
        .insert_webhook(&webhook("w"), UNLIMITED, at(3))
        .await
        .unwrap();
    assert!(next.id > made.webhook, "R7 number of a webhook");
}

/// A message of a mebibyte and the longest texts that the model allows are kept.
pub async fn r08_the_longest_texts_are_kept(store: Webhooks) {
    let hook = store
        .records
        .insert_webhook(&webhook("w"), UNLIMITED, at(0))
        .await
        .unwrap();
    let mut long = task(hook.id);
    long.name = "é".repeat(64).parse().unwrap();
    long.description = "d\n".repeat(1024).parse().unwrap();
    let message = "m".repeat(1 << 20).parse().unwrap();
    long.action = Action::Send {
        webhook: hook.id,
        message,
    };
    let made = store
        .records
        .insert_task(&long, UNLIMITED, at(0))
        .await
        .unwrap();
    let read = store.records.task(made.id).await.unwrap().unwrap();
    assert!(read.value == long, "R8");
}

/// An error reveals no secret and no message, neither itself nor its sources.
pub async fn r21_an_error_tells_no_secret(store: Webhooks) {
    let records = &store.records;
    let hook = records
        .insert_webhook(&full_webhook(), UNLIMITED, at(0))
        .await
        .unwrap();
    let twin = records
        .insert_webhook(&full_webhook(), UNLIMITED, at(0))
        .await
        .err();
    records
        .update_webhook(&hook, UNLIMITED, at(1))
        .await
        .unwrap();
    let stale = records.update_webhook(&hook, UNLIMITED, at(2)).await.err();
    let mut lost = hook.clone();
    lost.id = WebhookId(hook.id.0 + 1000);
    let missing = records.update_webhook(&lost, UNLIMITED, at(2)).await.err();
    let secret = |hook, id| NewDelivery {
        body: "canary-message-5e5e".into(),
        ..message(hook, id, at(0))
    };
    let nowhere = store
        .queue
        .enqueue(direct(vec![secret(lost.id, "a")]), at(0))
        .await
        .err();
    for error in [twin, stale, missing, nowhere] {
        let error = error.expect("R21 refused");
        tells_nothing("R21", &error, &of_a_webhook());
    }
}
