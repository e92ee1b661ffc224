//! Messages and responses, sealed if the platform has configured it.

use std::path::Path;
use std::sync::Arc;

use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::SealedMessages;
use gatepost_storage::seal::{SealingKey, SealingKeys};
use gatepost_storage::webhooks::{
    Cause, DeliveryId, DeliveryState, Disposition, Enqueue, NewDelivery, NewOutbox, RemainingTasks,
    Settled,
};
use gatepost_testkit::Webhooks;
use gatepost_testkit::fixtures::{
    UNLIMITED, at, claim, direct, message, occurrence, outbox, settlement, webhook,
};
use webhook_model::{MAX_DATA, TaskId, WebhookId};

const MESSAGE: &str = "canary-message-5e5e";
const RESPONSE: &str = "canary-response-a1b2";
const HOOK: WebhookId = WebhookId(1);

fn key(id: u8) -> SealingKey {
    SealingKey::new(id.into(), [id; 32])
}

async fn open(path: &Path) -> Arc<SqliteStore> {
    Arc::new(SqliteStore::open(SqliteConfig::file(path)).await.unwrap())
}

fn sealed(store: &Arc<SqliteStore>, keys: SealingKeys) -> Webhooks {
    Webhooks::of(Arc::new(SealedMessages::new(store.clone(), keys)))
}

async fn enqueue(store: &Webhooks, id: &str) {
    let mut new = message(HOOK, id, at(0));
    new.body = MESSAGE.into();
    store.queue.enqueue(direct(vec![new]), at(0)).await.unwrap();
}

/// Sends the waiting deliveries, to a target that repeats the message.
async fn send(store: &Webhooks) {
    for claimed in claim(store, HOOK, 1).await {
        assert_eq!(&*claimed.delivery.body, MESSAGE);
        let mut settled = settlement(&claimed, Disposition::Failed);
        let attempt = settled.attempt.as_mut().unwrap();
        attempt.response_head = format!("x-head: {RESPONSE}").into_bytes();
        attempt.response_body = RESPONSE.as_bytes().to_vec();
        let settled = store.queue.settle(vec![settled], at(1)).await.unwrap();
        assert_eq!(settled, [Settled::Done]);
    }
}

async fn body(store: &Webhooks, id: i64) -> (String, bool) {
    let found = store.log.delivery(DeliveryId(id)).await.unwrap().unwrap();
    (found.body.to_string(), found.message_kept)
}

fn holds(folder: &Path, text: &str) -> bool {
    let files = std::fs::read_dir(folder).unwrap();
    let mut all = files.map(|file| std::fs::read(file.unwrap().path()).unwrap());
    all.any(|file| file.windows(text.len()).any(|part| part == text.as_bytes()))
}

#[tokio::test]
async fn messages_and_responses_are_sealed_and_read_unchanged() {
    for keys in [SealingKeys::new(key(1)), SealingKeys::none()] {
        let is_sealed = !keys.is_none();
        let folder = tempfile::tempdir().unwrap();
        let store = open(&folder.path().join("gatepost.db")).await;
        let sealed = sealed(&store, keys);
        sealed
            .records
            .insert_webhook(&webhook("w"), UNLIMITED, at(0))
            .await
            .unwrap();
        enqueue(&sealed, "m1").await;
        send(&sealed).await;
        assert_eq!(body(&sealed, 1).await, (MESSAGE.to_owned(), true));
        let attempts = sealed.log.attempts(DeliveryId(1), 99).await.unwrap();
        assert_eq!(attempts[0].response_body, RESPONSE.as_bytes());
        for closed in [false, true] {
            if closed {
                store.close().await;
            }
            for text in [MESSAGE, RESPONSE] {
                assert_eq!(
                    holds(folder.path(), text),
                    !is_sealed,
                    "{text}, closed: {closed}"
                );
            }
        }
    }
}

#[tokio::test]
async fn old_messages_open_and_unopenable_are_not_sent() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder.path().join("gatepost.db")).await;
    let plain = sealed(&store, SealingKeys::none());
    plain
        .records
        .insert_webhook(&webhook("w"), UNLIMITED, at(0))
        .await
        .unwrap();
    enqueue(&plain, "m1").await;
    let first = sealed(&store, SealingKeys::new(key(1)));
    enqueue(&first, "m2").await;
    send(&first).await;
    assert_eq!(body(&first, 1).await.0, MESSAGE, "of before");
    let rotated = sealed(&store, SealingKeys::new(key(2)).with_old(key(1)));
    assert_eq!(body(&rotated, 2).await.0, MESSAGE);
    enqueue(&rotated, "m3").await;

    let lost = sealed(&store, SealingKeys::new(key(3)));
    assert!(claim(&lost, HOOK, 2).await.is_empty(), "nothing is sent");
    assert_eq!(body(&lost, 3).await, (String::new(), false));
    let attempts = lost.log.attempts(DeliveryId(2), 99).await.unwrap();
    assert!(!attempts[0].kept && attempts[0].response_body.is_empty());
    assert!(attempts[0].request_head.is_empty(), "not as it is stored");
    let ended = lost.log.delivery(DeliveryId(3)).await.unwrap().unwrap();
    assert_eq!(ended.state, DeliveryState::Error);

    let again = [DeliveryId(3)];
    assert_eq!(rotated.log.replay(&again, at(3)).await.unwrap(), 1);
    let claimed = claim(&rotated, HOOK, 4).await;
    assert_eq!(
        &*claimed[0].delivery.body, MESSAGE,
        "with the key it can be replayed"
    );
}

#[tokio::test]
async fn sealed_message_does_not_open_in_other_row() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gatepost.db");
    let store = open(&path).await;
    let sealed = sealed(&store, SealingKeys::new(key(1)));
    sealed
        .records
        .insert_webhook(&webhook("w"), UNLIMITED, at(0))
        .await
        .unwrap();
    enqueue(&sealed, "m1").await;
    enqueue(&sealed, "m2").await;
    let platform = rusqlite::Connection::open(&path).unwrap();
    let moved = "UPDATE gatepost_delivery SET body = (SELECT body FROM gatepost_delivery WHERE id = 2) WHERE id = 1";
    platform.execute(moved, []).unwrap();
    platform
        .execute(
            "UPDATE gatepost_delivery SET message_id = 'other' WHERE id = 1",
            [],
        )
        .unwrap();
    assert_eq!(body(&sealed, 1).await, (String::new(), false));
}

#[tokio::test]
async fn delivery_cause_data_is_sealed() {
    const DATA: &str = "canary-data-3c4d";
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder.path().join("gatepost.db")).await;
    let first = sealed(&store, SealingKeys::new(key(1)));
    first
        .records
        .insert_webhook(&webhook("w"), UNLIMITED, at(0))
        .await
        .unwrap();
    let mut brings = occurrence("on");
    brings.data = Some(format!("{{\"a\":\"{DATA}\"}}").parse().unwrap());
    let new = NewDelivery {
        cause: Some(Cause::of(&brings)),
        ..message(HOOK, "m1", at(0))
    };
    first.queue.enqueue(direct(vec![new]), at(0)).await.unwrap();
    assert!(!holds(folder.path(), DATA));
    let cause = async |store: &Webhooks| {
        let found = store.log.delivery(DeliveryId(1)).await.unwrap().unwrap();
        found.cause.unwrap()
    };
    assert_eq!(cause(&first).await, Cause::of(&brings));
    let rotated = sealed(&store, SealingKeys::new(key(2)).with_old(key(1)));
    assert_eq!(cause(&rotated).await, Cause::of(&brings));
    let lost = sealed(&store, SealingKeys::new(key(3)));
    let without = Cause {
        data: None,
        ..Cause::of(&brings)
    };
    assert_eq!(cause(&lost).await, without);
    let claimed = claim(&first, HOOK, 1).await;
    assert_eq!(claimed[0].delivery.cause, Some(Cause::of(&brings)));
}

#[tokio::test]
async fn occurrence_data_is_sealed_while_in_outbox() {
    const DATA: &str = "canary-data-77aa";
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder.path().join("gatepost.db")).await;
    let first = sealed(&store, SealingKeys::new(key(1)));
    let long = "x".repeat(MAX_DATA - DATA.len() - 8);
    let mut brings = occurrence("on");
    brings.data = Some(format!("{{\"a\":\"{DATA}{long}\"}}").parse().unwrap());
    first.outbox.push_outbox(&brings, at(0)).await.unwrap();
    let later = Enqueue {
        later: vec![NewOutbox {
            occurrence: brings.clone(),
            left: RemainingTasks::After(TaskId(3)),
            by: None,
            due: at(0),
        }],
        ..direct(Vec::new())
    };
    first.queue.enqueue(later, at(0)).await.unwrap();
    assert!(!holds(folder.path(), DATA));
    for keys in [
        SealingKeys::new(key(1)),
        SealingKeys::new(key(2)).with_old(key(1)),
    ] {
        let rows = outbox(&sealed(&store, keys), 0).await;
        assert_eq!(rows.len(), 2);
        assert!(
            rows.iter()
                .all(|row| row.occurrence.as_ref() == Ok(&brings))
        );
    }
    let lost = outbox(&sealed(&store, SealingKeys::new(key(3))), 0).await;
    let reason = lost[0].occurrence.as_ref().unwrap_err();
    assert_eq!(reason.0, "the data cannot be opened");
}
