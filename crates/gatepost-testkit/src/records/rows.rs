//! One row at a time: stored whole, edited by revision, not found when deleted.

use chrono::TimeDelta;
use gatepost_storage::webhooks::NewDelivery;
use webhook_model::{Action, WebhookId};

use crate::fields::full_webhook;
use crate::fixtures::{
    UNLIMITED, at, authorizations, direct, full_event, full_task, message, task, webhook,
};
use crate::harness::Webhooks;
use crate::secrecy::{of_a_webhook, tells_nothing};

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

/// Times must be those that were passed, to the microsecond; an edit must change only `modified`.
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

/// A message of a mebibyte and the longest texts that the model allows must be kept.
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

/// An error must reveal no secret and no message, neither itself nor its sources.
pub async fn r21_an_error_reveals_no_secret(store: Webhooks) {
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
