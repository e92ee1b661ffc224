//! Records, deliveries and occurrences when the store is opened again.

use gatepost_ids::Realm;
use gatepost_storage::webhooks::{
    Cascade, DeliveryId, DeliveryQuery, DeliveryState, Disposition, Enqueue, Enqueued, EventQuery,
    PutBack, QueueClass, RoutesVersion, Settled, TaskRow,
};
use gatepost_storage::{Page, Row, Scope};
use webhook_model::{Event, EventId, TaskId, Webhook, WebhookId};

use super::home::{Home, NOT_DURABLE};
use crate::fields::full_webhook;
use crate::fixtures::{
    SECRETS, UNLIMITED, at, claim, direct, end, event, from_outbox, full_event, full_occurrence,
    full_task, lane, message, named, occurrence, outbox, queued, settlement, task, version,
    webhook,
};
use crate::harness::Webhooks;
use crate::outcome::Outcome;
use crate::secrecy::{forms, hex};

/// A secret in the path of a URL.
const URL_PATH: &str = "services/canary-path-5b0c";

/// Parts of a request, in its URL's path, in its query, and in an ordinary header.
const KEPT: [&str; 3] = ["canary-path-Zq7x", "canary-query-Kv3p", "canary-room-Hj5t"];

type Records = (
    RoutesVersion,
    Option<Row<WebhookId, Webhook>>,
    Option<TaskRow>,
    Vec<Row<EventId, Event>>,
);

async fn records_of(store: &Webhooks, webhook: WebhookId, task: TaskId) -> Records {
    let records = &store.records;
    let events = EventQuery {
        scope: Scope::All,
        task: None,
        event_type: None,
        page: Page::first(9),
    };
    (
        version(store, Realm::Shared).await,
        records.webhook(webhook).await.unwrap(),
        records.task(task).await.unwrap(),
        records.list_events(&events).await.unwrap(),
    )
}

/// Webhooks, tasks and events are there again as they were, under the same version of the routes.
pub async fn d01_records_outlive_the_store(place: Home) -> Outcome {
    let store = place.fresh().await;
    let records = &store.records;
    let hook = records
        .insert_webhook(&full_webhook(), UNLIMITED, at(1))
        .await
        .unwrap();
    let made = records
        .insert_task(&full_task(hook.id), UNLIMITED, at(2))
        .await
        .unwrap();
    records
        .insert_event(&full_event(made.id), UNLIMITED, at(4))
        .await
        .unwrap();
    let gone = records
        .insert_webhook(&webhook("gone"), UNLIMITED, at(5))
        .await
        .unwrap();
    records
        .delete_webhook(gone.id, Cascade::Refuse, at(6))
        .await
        .unwrap();
    let before = records_of(&store, hook.id, made.id).await;
    let Some(store) = place.reopen(store).await else {
        return NOT_DURABLE;
    };
    let after = records_of(&store, hook.id, made.id).await;
    assert_eq!(after, before, "D1");
    Outcome::Held
}

/// Row numbers that were given out before are not given out again after.
pub async fn d02_row_numbers_go_on(place: Home) -> Outcome {
    let store = place.fresh().await;
    let records = &store.records;
    let hook = records
        .insert_webhook(&webhook("w"), UNLIMITED, at(0))
        .await
        .unwrap();
    let made = records
        .insert_task(&task(hook.id), UNLIMITED, at(0))
        .await
        .unwrap();
    let on = records
        .insert_event(&event(made.id), UNLIMITED, at(0))
        .await
        .unwrap();
    records
        .delete_webhook(hook.id, Cascade::Tasks, at(1))
        .await
        .unwrap();
    let Some(store) = place.reopen(store).await else {
        return NOT_DURABLE;
    };
    let records = &store.records;
    let next = records
        .insert_webhook(&webhook("w"), UNLIMITED, at(2))
        .await
        .unwrap();
    assert!(next.id > hook.id, "D2 webhook");
    let next = records
        .insert_task(&task(next.id), UNLIMITED, at(2))
        .await
        .unwrap();
    assert!(next.id > made.id, "D2 task");
    let next = records
        .insert_event(&event(next.id), UNLIMITED, at(2))
        .await
        .unwrap();
    assert!(next.id > on.id, "D2 event");
    Outcome::Held
}

/// Deliveries are there again in every state, with their attempts, and waiting ones are sent.
pub async fn d03_deliveries_outlive_the_store(place: Home) -> Outcome {
    let store = place.fresh().await;
    let hook = queued(&store, &["sent"]).await;
    end(&store, hook, Disposition::Sent, 0).await;
    for (id, disposition) in [
        ("failed", Disposition::Failed),
        ("retry", Disposition::Retry { due: at(5) }),
    ] {
        let batch = direct(vec![message(hook, id, at(0))]);
        store.queue.enqueue(batch, at(0)).await.unwrap();
        end(&store, hook, disposition, 1).await;
    }
    let batch = direct(vec![message(hook, "waits", at(7))]);
    store.queue.enqueue(batch, at(0)).await.unwrap();
    let all = DeliveryQuery::all(Page::first(9));
    let before = store.log.list_deliveries(&all).await.unwrap();
    assert_eq!(before.len(), 4, "D3 stored");
    let attempts = store.log.attempts(before[1].id, 99).await.unwrap();
    let Some(store) = place.reopen(store).await else {
        return NOT_DURABLE;
    };
    let after = store.log.list_deliveries(&all).await.unwrap();
    assert_eq!(after, before, "D3 deliveries");
    let kept = store.log.attempts(before[1].id, 99).await.unwrap();
    assert_eq!(kept, attempts, "D3 attempts");
    let due = claim(&store, hook, 7).await;
    let due: Vec<_> = due.iter().map(|c| c.delivery.message_id.as_str()).collect();
    assert!(
        due.contains(&"retry") && due.contains(&"waits"),
        "D3 sent after all"
    );
    assert_eq!(due.len(), 2, "D3 and nothing else");
    Outcome::Held
}

/// A claim outlives its worker: it holds until the end of the lease, its token still settles, and
/// after that the row comes back.
pub async fn d04_a_claim_outlives_its_worker(place: Home) -> Outcome {
    let store = place.fresh().await;
    let hook = queued(&store, &["a", "b"]).await;
    let claimed = claim(&store, hook, 0).await;
    assert_eq!(claimed.len(), 2, "D4 claimed");
    let Some(store) = place.reopen(store).await else {
        return NOT_DURABLE;
    };
    assert!(
        claim(&store, hook, 5).await.is_empty(),
        "D4 the lease holds"
    );
    let early = store.queue.reclaim(9, at(9)).await.unwrap();
    assert_eq!(early.requeued, 0, "D4 no sooner");
    let settled = store
        .queue
        .settle(vec![settlement(&claimed[0], Disposition::Sent)], at(9))
        .await;
    assert_eq!(
        settled.unwrap(),
        [Settled::Done],
        "D4 the token still settles"
    );
    let back = store.queue.reclaim(9, at(10)).await.unwrap();
    assert_eq!(back.requeued, 1, "D4 back after the lease");
    let Some(store) = place.reopen(store).await else {
        return NOT_DURABLE;
    };
    let old = vec![
        settlement(&claimed[1], Disposition::Failed),
        settlement(&claimed[0], Disposition::Sent),
    ];
    let settled = store.queue.settle(old, at(11)).await.unwrap();
    assert_eq!(
        settled,
        [Settled::Stale, Settled::Done],
        "D4 what the tokens are worth"
    );
    let again = store
        .queue
        .claim(&[lane(hook, QueueClass::Lost)], at(30), at(11))
        .await
        .unwrap();
    assert_eq!(again.len(), 1, "D4 claimed again");
    assert!(
        !claimed
            .iter()
            .any(|c| c.delivery.id == again[0].delivery.id && c.token == again[0].token),
        "D4 under a new token"
    );
    let row = store
        .log
        .delivery(claimed[0].delivery.id)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        row.state,
        DeliveryState::Sent,
        "D4 the other one stays sent"
    );
    Outcome::Held
}

/// Ids of occurrences stay known; waiting rows of the outbox still wait, consumed ones stay
/// consumed, and rejected ones stay rejected.
pub async fn d05_occurrences_outlive_the_store(place: Home) -> Outcome {
    let store = place.fresh().await;
    let hook = queued(&store, &[]).await;
    let of = |origin, id: &str| Enqueue {
        origin,
        ..direct(vec![message(hook, id, at(0))])
    };
    let known = named("o1");
    store
        .queue
        .enqueue(of(known.clone(), "a"), at(0))
        .await
        .unwrap();
    let plain = occurrence("on");
    let used = store.outbox.push_outbox(&plain, at(0)).await.unwrap();
    let aside = store.outbox.push_outbox(&plain, at(0)).await.unwrap();
    let waits = store
        .outbox
        .push_outbox(&full_occurrence(), at(0))
        .await
        .unwrap();
    store
        .queue
        .enqueue(of(from_outbox(used), "b"), at(0))
        .await
        .unwrap();
    let set_aside = PutBack::Aside("no".to_owned());
    store.outbox.put_back(aside, 0, set_aside).await.unwrap();
    let Some(store) = place.reopen(store).await else {
        return NOT_DURABLE;
    };
    let again = store.queue.enqueue(of(known, "c"), at(1)).await.unwrap();
    assert_eq!(again, Enqueued::AlreadyKnown, "D5 a known id");
    let again = store
        .queue
        .enqueue(of(from_outbox(used), "d"), at(1))
        .await
        .unwrap();
    assert_eq!(again, Enqueued::AlreadyKnown, "D5 a used row");
    let rows = outbox(&store, 9).await;
    assert_eq!(rows.len(), 1, "D5 one row waits");
    assert_eq!(
        (rows[0].id, rows[0].occurrence.as_ref()),
        (waits, Ok(&full_occurrence())),
        "D5 whole"
    );
    Outcome::Held
}

/// The disk holds no secret of a webhook in plaintext, its URL included. The harness opens its
/// store with a sealing key.
pub async fn d06_secrets_lie_sealed(place: Home) -> Outcome {
    let store = place.fresh().await;
    let full = Webhook {
        url: format!("https://example.com/{URL_PATH}").parse().unwrap(),
        ..full_webhook()
    };
    let hook = store.records.insert_webhook(&full, UNLIMITED, at(0));
    let hook = hook.await.unwrap();
    store
        .records
        .update_webhook(&hook, UNLIMITED, at(1))
        .await
        .unwrap();
    let Some(dump) = place.dump(&store).await else {
        return Outcome::Ignored("the harness shows no dump");
    };
    // The beginning of the webhook's name.
    assert!(
        find(&dump, "naïve".as_bytes()),
        "D6 the dump holds what was stored"
    );
    for secret in SECRETS.into_iter().chain([URL_PATH]) {
        let forms = [
            secret.as_bytes().to_vec(),
            hex(secret.as_bytes()).into_bytes(),
        ];
        let found = forms.iter().any(|form| find(&dump, form));
        assert!(!found, "D6 {}…", &secret[..12]);
    }
    Outcome::Held
}

/// The disk holds nothing in plaintext of what an attempt keeps of request and response: the URL
/// and the headers, and what a target repeats of them. It reads as it was, also when the store is
/// opened again. The harness opens its store with a sealing key.
pub async fn d11_attempts_lie_sealed(place: Home) -> Outcome {
    let store = place.fresh().await;
    let hook = queued(&store, &["message-of-d11"]).await;
    let claimed = claim(&store, hook, 0).await;
    let delivery = claimed[0].delivery.id;
    let mut sent = settlement(&claimed[0], Disposition::Failed);
    let kept = sent.attempt.as_mut().unwrap();
    let [url, query, header] = KEPT;
    let request = format!("POST https://a.example/{url}?k={query}\r\nX-Room: {header}\r\n");
    kept.response_head = format!("location: /{url}\r\nx-room: {header}").into_bytes();
    kept.response_body = request.clone().into_bytes();
    kept.request_head = request.into_bytes();
    let parts = [
        kept.request_head.clone(),
        kept.response_head.clone(),
        kept.response_body.clone(),
    ];
    store.queue.settle(vec![sent], at(1)).await.unwrap();
    assert_eq!(parts_of(&store, delivery).await, parts, "D11 as it was");
    let Some(dump) = place.dump(&store).await else {
        return Outcome::Ignored("the harness shows no dump");
    };
    let stored = find(&dump, b"message-of-d11");
    assert!(stored, "D11 the dump holds what was stored");
    for text in KEPT {
        let found = forms(text.as_bytes()).iter().any(|form| find(&dump, form));
        assert!(!found, "D11 {text}");
    }
    if let Some(store) = place.reopen(store).await {
        assert_eq!(parts_of(&store, delivery).await, parts, "D11 opened again");
    }
    Outcome::Held
}

async fn parts_of(store: &Webhooks, delivery: DeliveryId) -> [Vec<u8>; 3] {
    let attempts = store.log.attempts(delivery, 9).await.unwrap();
    assert_eq!(attempts.len(), 1, "D11 one attempt");
    assert!(attempts[0].kept, "D11 kept");
    [
        attempts[0].request_head.clone(),
        attempts[0].response_head.clone(),
        attempts[0].response_body.clone(),
    ]
}

fn find(dump: &[u8], text: &[u8]) -> bool {
    dump.windows(text.len()).any(|window| window == text)
}
