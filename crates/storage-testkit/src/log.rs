//! The clauses about the delivery log. Each takes a store with nothing in it.

use storage::webhooks::{
    DeliveryId, DeliveryQuery, DeliveryState, NewDelivery, Replay, Retention, Settled, Verdict,
};
use storage::{ErrorKind, Page};
use webhook_model::{Activity, WebhookId};

use crate::Webhooks;
use crate::fixtures::{at, change, claim, direct, end, message, queued, settlement, task, webhook};

async fn listed(store: &Webhooks, query: &DeliveryQuery) -> Vec<String> {
    let rows = store.log.list_deliveries(query).await.unwrap();
    rows.into_iter()
        .map(|d| d.message_id.as_str().to_owned())
        .collect()
}

fn all() -> DeliveryQuery {
    DeliveryQuery::all(Page::first(99))
}

/// The row number of the delivery with this message id.
async fn number(store: &Webhooks, id: &str) -> DeliveryId {
    let rows = store.log.list_deliveries(&all()).await.unwrap();
    rows.iter()
        .find(|d| d.message_id.as_str() == id)
        .unwrap()
        .id
}

/// An enqueued delivery is listed as it was enqueued, its body byte for byte, with nothing attempted.
pub async fn l01_a_delivery_is_listed_as_it_was_enqueued(store: Webhooks) {
    let hook = queued(&store, &[]).await;
    let made = store
        .records
        .insert_task(&task(hook), at(0))
        .await
        .unwrap()
        .id;
    let body = "{\"a\":\"é\u{2028}\0\r\n\"} ";
    let new = NewDelivery {
        task: Some(made),
        body: body.into(),
        due: at(7),
        ..message(hook, "a", at(0))
    };
    store.queue.enqueue(direct(vec![new]), at(3)).await.unwrap();
    let id = number(&store, "a").await;
    let d = store.log.delivery(id).await.unwrap().unwrap();
    let stood = (d.webhook, d.task, &*d.body, d.state, d.created, d.due);
    let wanted = (hook, Some(made), body, DeliveryState::Queued, at(3), at(7));
    assert_eq!(stood, wanted, "L1 as enqueued");
    let tried = (
        d.attempts,
        d.lost_claims,
        d.lease_until,
        d.last_attempt,
        d.response_status,
    );
    assert_eq!(tried, (0, 0, None, None, None), "L1 nothing attempted");
    assert_eq!(d.status_info, "", "L1 nothing to say");
    assert_eq!(store.log.attempts(id).await.unwrap(), [], "L1 no attempts");
    let none = store.log.delivery(DeliveryId(id.0 + 1000)).await.unwrap();
    assert_eq!(none, None, "L1 another number");
}

/// A list holds the deliveries of the webhook, the task, the states and the span of time that were asked for, in pages.
pub async fn l02_deliveries_are_listed_by_what_was_asked_for(store: Webhooks) {
    let hook = queued(&store, &[]).await;
    let other = store
        .records
        .insert_webhook(&webhook("other"), at(0))
        .await
        .unwrap()
        .id;
    let made = store
        .records
        .insert_task(&task(hook), at(0))
        .await
        .unwrap()
        .id;
    for (id, hook, task, now) in [
        ("a", hook, Some(made), 1),
        ("b", other, None, 2),
        ("c", hook, None, 3),
    ] {
        let new = NewDelivery {
            task,
            ..message(hook, id, at(now))
        };
        store
            .queue
            .enqueue(direct(vec![new]), at(now))
            .await
            .unwrap();
    }
    end(&store, hook, Verdict::Sent, 5).await;
    assert_eq!(listed(&store, &all()).await, ["a", "b", "c"], "L2 all");
    let of = DeliveryQuery {
        webhook: Some(hook),
        ..all()
    };
    assert_eq!(listed(&store, &of).await, ["a", "c"], "L2 webhook");
    let of = DeliveryQuery {
        task: Some(made),
        ..all()
    };
    assert_eq!(listed(&store, &of).await, ["a"], "L2 task");
    let of = DeliveryQuery {
        states: vec![DeliveryState::Queued],
        ..all()
    };
    assert_eq!(listed(&store, &of).await, ["b"], "L2 state");
    let states = vec![DeliveryState::Queued, DeliveryState::Sent];
    let of = DeliveryQuery { states, ..all() };
    assert_eq!(listed(&store, &of).await, ["a", "b", "c"], "L2 two states");
    let of = DeliveryQuery {
        created_from: Some(at(2)),
        ..all()
    };
    assert_eq!(
        listed(&store, &of).await,
        ["b", "c"],
        "L2 from, itself included"
    );
    let of = DeliveryQuery {
        created_before: Some(at(2)),
        ..all()
    };
    assert_eq!(
        listed(&store, &of).await,
        ["a"],
        "L2 before, itself left out"
    );
    let newest = Page::newest(2);
    assert_eq!(
        listed(&store, &DeliveryQuery::all(newest)).await,
        ["c", "b"],
        "L2 newest"
    );
    let rest = newest.beyond(number(&store, "b").await);
    assert_eq!(
        listed(&store, &DeliveryQuery::all(rest)).await,
        ["a"],
        "L2 next page"
    );
}

/// Attempts are kept whole and numbered from 1, oldest first; the last one is summed up in the row.
pub async fn l03_attempts_are_kept_and_numbered(store: Webhooks) {
    let hook = queued(&store, &["a"]).await;
    let retry = Verdict::Retry { due: at(5) };
    end(&store, hook, retry, 0).await;
    let claimed = claim(&store, hook, 5).await;
    let mut last = settlement(&claimed[0], Verdict::Failed);
    last.status_info = "503 Service Unavailable".to_owned();
    let attempt = last.attempt.as_mut().unwrap();
    attempt.started = at(6);
    attempt.status = Some(503);
    attempt.number = 77;
    attempt.remote = Some("[2001:db8::1]:443".parse().unwrap());
    attempt.protocol = Some("HTTP/2".to_owned());
    attempt.response_head = vec![0xff, 0, b'\r'];
    attempt.truncated = true;
    attempt.phases.tls = Some(std::time::Duration::from_micros(1234));
    let mut wanted = attempt.clone();
    wanted.number = 2;
    store.queue.settle(vec![last], at(6)).await.unwrap();
    let id = claimed[0].delivery.id;
    let kept = store.log.attempts(id).await.unwrap();
    assert_eq!(
        kept.iter().map(|a| a.number).collect::<Vec<_>>(),
        [1, 2],
        "L3 numbers"
    );
    assert_eq!(kept[1], wanted, "L3 kept whole");
    let row = store.log.delivery(id).await.unwrap().unwrap();
    let summed = (
        row.state,
        row.attempts,
        row.response_status,
        row.last_attempt,
        row.duration,
    );
    let wanted = (
        DeliveryState::Error,
        2,
        Some(503),
        Some(at(6)),
        Some(wanted.duration),
    );
    assert_eq!(summed, wanted, "L3 summed up");
    assert_eq!(row.status_info, "503 Service Unavailable", "L3 in words");
}

/// A replay queues ended deliveries again, with the same id and bytes, counts at zero and the attempts kept; others are passed over.
pub async fn l04_a_replay_starts_over_with_the_same_bytes(store: Webhooks) {
    let hook = queued(&store, &["a"]).await;
    end(&store, hook, Verdict::Failed, 0).await;
    let batch = direct(vec![message(hook, "open", at(90))]);
    store.queue.enqueue(batch, at(1)).await.unwrap();
    let (ended, open) = (number(&store, "a").await, number(&store, "open").await);
    let before = store.log.delivery(ended).await.unwrap().unwrap();
    let ids = Replay::Ids(vec![ended, open, DeliveryId(open.0 + 1000)]);
    assert_eq!(
        store.log.replay(&ids, 9, at(20)).await.unwrap(),
        1,
        "L4 one had ended"
    );
    let after = store.log.delivery(ended).await.unwrap().unwrap();
    assert_eq!(
        (after.message_id, after.body),
        (before.message_id, before.body),
        "L4 same"
    );
    let stood = (after.state, after.due, after.attempts, after.lost_claims);
    assert_eq!(
        stood,
        (DeliveryState::Queued, at(20), 0, 0),
        "L4 from the start"
    );
    let open = store.log.delivery(open).await.unwrap().unwrap();
    assert_eq!(open.due, at(90), "L4 the open one untouched");
    end(&store, hook, Verdict::Sent, 20).await;
    let kept = store.log.attempts(ended).await.unwrap();
    assert_eq!(
        kept.iter().map(|a| a.number).collect::<Vec<_>>(),
        [1, 2],
        "L4 history kept"
    );
}

/// A replay of failures takes those of the webhook in state `error` created in the span, oldest first, up to the limit.
pub async fn l05_a_replay_of_failures_is_bounded(store: Webhooks) {
    let hook = queued(&store, &[]).await;
    for (id, now) in [("early", 1), ("a", 2), ("b", 3), ("c", 4), ("late", 5)] {
        let batch = direct(vec![message(hook, id, at(now))]);
        store.queue.enqueue(batch, at(now)).await.unwrap();
    }
    for claimed in claim(&store, hook, 6).await {
        let sent = claimed.delivery.message_id.as_str() == "a";
        let verdict = if sent { Verdict::Sent } else { Verdict::Failed };
        store
            .queue
            .settle(vec![settlement(&claimed, verdict)], at(6))
            .await
            .unwrap();
    }
    let failed = |hook| Replay::Failed {
        webhook: hook,
        from: at(2),
        before: at(5),
    };
    let other = failed(WebhookId(hook.0 + 1000));
    assert_eq!(
        store.log.replay(&other, 9, at(7)).await.unwrap(),
        0,
        "L5 another webhook"
    );
    assert_eq!(
        store.log.replay(&failed(hook), 1, at(7)).await.unwrap(),
        1,
        "L5 the limit"
    );
    let queued = DeliveryQuery {
        states: vec![DeliveryState::Queued],
        ..all()
    };
    assert_eq!(listed(&store, &queued).await, ["b"], "L5 oldest first");
    assert_eq!(
        store.log.replay(&failed(hook), 9, at(7)).await.unwrap(),
        1,
        "L5 the rest"
    );
    assert_eq!(listed(&store, &queued).await, ["b", "c"], "L5 in the span");
}

/// A cancelled delivery ends in `error` with the reason; one that is being sent or has ended is passed over.
pub async fn l06_a_cancelled_delivery_ends(store: Webhooks) {
    let hook = queued(&store, &["sent"]).await;
    end(&store, hook, Verdict::Sent, 0).await;
    let batch = direct(vec![message(hook, "running", at(1))]);
    store.queue.enqueue(batch, at(1)).await.unwrap();
    let running = claim(&store, hook, 1).await;
    let batch = direct(vec![message(hook, "open", at(2))]);
    store.queue.enqueue(batch, at(2)).await.unwrap();
    let mut ids = Vec::new();
    for id in ["sent", "running", "open"] {
        ids.push(number(&store, id).await);
    }
    let count = store
        .log
        .cancel(&ids, "cancelled by x", at(3))
        .await
        .unwrap();
    assert_eq!(count, 1, "L6 one was open");
    let row = store.log.delivery(ids[2]).await.unwrap().unwrap();
    let stood = (row.state, row.status_info.as_str());
    assert_eq!(stood, (DeliveryState::Error, "cancelled by x"), "L6");
    assert!(
        claim(&store, hook, 4).await.is_empty(),
        "L6 not sent any more"
    );
    let settled = store
        .queue
        .settle(vec![settlement(&running[0], Verdict::Sent)], at(4))
        .await;
    assert_eq!(
        settled.unwrap(),
        [Settled::Done],
        "L6 the running one goes on"
    );
}

/// A deleted delivery is gone with its attempts, and the settlement of one that was being sent is stale.
pub async fn l07_a_deleted_delivery_is_gone(store: Webhooks) {
    let hook = queued(&store, &["a"]).await;
    end(&store, hook, Verdict::Retry { due: at(5) }, 0).await;
    let claimed = claim(&store, hook, 5).await;
    let id = claimed[0].delivery.id;
    store.log.delete_delivery(id, at(6)).await.unwrap();
    assert_eq!(store.log.delivery(id).await.unwrap(), None, "L7 delivery");
    assert_eq!(store.log.attempts(id).await.unwrap(), [], "L7 attempts");
    let late = store
        .queue
        .settle(vec![settlement(&claimed[0], Verdict::Sent)], at(7))
        .await;
    assert_eq!(late.unwrap(), [Settled::Stale], "L7 settlement");
    let again = store.log.delete_delivery(id, at(8)).await.err();
    assert_eq!(
        again.map(|e| e.kind()),
        Some(ErrorKind::NotFound),
        "L7 again"
    );
}

/// What a paused webhook has held for too long ends in `error`, up to the limit; what is younger or of an active one stays.
pub async fn l08_what_was_held_too_long_expires(store: Webhooks) {
    let active = queued(&store, &["active"]).await;
    let paused = store
        .records
        .insert_webhook(&webhook("p"), at(0))
        .await
        .unwrap()
        .id;
    for (id, now) in [("a", 1), ("b", 2), ("young", 10)] {
        let batch = direct(vec![message(paused, id, at(now))]);
        store.queue.enqueue(batch, at(now)).await.unwrap();
    }
    change(&store, paused, |w| w.activity = Activity::Paused).await;
    assert_eq!(
        store.log.expire_held(at(10), 1, at(20)).await.unwrap(),
        1,
        "L8 the limit"
    );
    assert_eq!(
        store.log.expire_held(at(10), 9, at(20)).await.unwrap(),
        1,
        "L8 the rest"
    );
    assert_eq!(
        store.log.expire_held(at(10), 9, at(20)).await.unwrap(),
        0,
        "L8 no more"
    );
    let row = store
        .log
        .delivery(number(&store, "a").await)
        .await
        .unwrap()
        .unwrap();
    let stood = (row.state, row.status_info.as_str());
    assert_eq!(stood, (DeliveryState::Error, "expired while paused"), "L8");
    let open = DeliveryQuery {
        states: vec![DeliveryState::Queued],
        ..all()
    };
    assert_eq!(
        listed(&store, &open).await,
        ["active", "young"],
        "L8 the others stay"
    );
    assert_eq!(claim(&store, active, 20).await.len(), 1, "L8 and are sent");
}

fn keep_all() -> Retention {
    Retention {
        created_before: at(-1000),
        newest_per_webhook: u32::MAX,
        occurrences_before: at(-1000),
    }
}

/// Retention by age removes ended deliveries with their attempts, up to the limit, and never one that is queued or running.
pub async fn l09_retention_by_age_never_takes_a_live_row(store: Webhooks) {
    let hook = queued(&store, &["a", "b"]).await;
    end(&store, hook, Verdict::Failed, 0).await;
    let batch = direct(vec![message(hook, "running", at(0))]);
    store.queue.enqueue(batch, at(0)).await.unwrap();
    assert_eq!(claim(&store, hook, 1).await.len(), 1, "L9 one is running");
    let batch = direct(vec![message(hook, "open", at(0))]);
    store.queue.enqueue(batch, at(0)).await.unwrap();
    let a = number(&store, "a").await;
    let keep = Retention {
        created_before: at(0),
        ..keep_all()
    };
    assert_eq!(
        store.log.purge(&keep, 9, at(5)).await.unwrap(),
        0,
        "L9 not old enough"
    );
    let keep = Retention {
        created_before: at(1),
        ..keep_all()
    };
    assert_eq!(
        store.log.purge(&keep, 1, at(5)).await.unwrap(),
        1,
        "L9 the limit"
    );
    assert_eq!(
        store.log.purge(&keep, 9, at(5)).await.unwrap(),
        1,
        "L9 the rest"
    );
    assert_eq!(
        listed(&store, &all()).await,
        ["running", "open"],
        "L9 live rows stay"
    );
    assert_eq!(store.log.attempts(a).await.unwrap(), [], "L9 attempts");
}

/// Retention by count keeps the newest ended deliveries of each webhook.
pub async fn l10_retention_by_count_keeps_the_newest(store: Webhooks) {
    let hook = queued(&store, &["a", "b", "c"]).await;
    end(&store, hook, Verdict::Sent, 0).await;
    let other = store
        .records
        .insert_webhook(&webhook("other"), at(0))
        .await
        .unwrap()
        .id;
    let batch = direct(vec![
        message(other, "other", at(0)),
        message(hook, "open", at(90)),
    ]);
    store.queue.enqueue(batch, at(0)).await.unwrap();
    end(&store, other, Verdict::Sent, 0).await;
    let keep = Retention {
        newest_per_webhook: 1,
        ..keep_all()
    };
    while store.log.purge(&keep, 9, at(5)).await.unwrap() == 9 {}
    assert_eq!(listed(&store, &all()).await, ["c", "other", "open"], "L10");
}

/// The id of an occurrence is known until retention forgets it, and is new from then on.
pub async fn l11_ids_of_occurrences_are_forgotten_by_age(store: Webhooks) {
    use storage::webhooks::{Enqueue, Enqueued, Source};
    let hook = queued(&store, &[]).await;
    let of = |occurrence: &str, id: &str| Enqueue {
        source: Source::Occurrence(occurrence.parse().unwrap()),
        ..direct(vec![message(hook, id, at(0))])
    };
    store.queue.enqueue(of("old", "a"), at(1)).await.unwrap();
    store.queue.enqueue(of("new", "b"), at(5)).await.unwrap();
    let keep = Retention {
        occurrences_before: at(5),
        ..keep_all()
    };
    store.log.purge(&keep, 9, at(6)).await.unwrap();
    let again = store.queue.enqueue(of("new", "c"), at(7)).await.unwrap();
    assert_eq!(again, Enqueued::AlreadyKnown, "L11 kept");
    let again = store.queue.enqueue(of("old", "d"), at(7)).await.unwrap();
    assert!(matches!(again, Enqueued::Stored { .. }), "L11 forgotten");
}

/// The figures count what waits, what is leased and the outbox, and tell the oldest due time of active webhooks.
pub async fn l12_the_figures_are_right(store: Webhooks) {
    let empty = store.log.queue_stats(at(0)).await.unwrap();
    assert_eq!(empty, storage::webhooks::QueueStats::default(), "L12 empty");
    let hook = queued(&store, &["a"]).await;
    assert_eq!(claim(&store, hook, 0).await.len(), 1, "L12 one is running");
    let paused = store
        .records
        .insert_webhook(&webhook("p"), at(0))
        .await
        .unwrap()
        .id;
    let batch = direct(vec![
        message(hook, "b", at(5)),
        message(hook, "c", at(4)),
        message(paused, "d", at(1)),
    ]);
    store.queue.enqueue(batch, at(0)).await.unwrap();
    change(&store, paused, |w| w.activity = Activity::Paused).await;
    let occurrence = webhook_model::Occurrence::new("vms".parse().unwrap(), "on".parse().unwrap());
    store.outbox.push_outbox(&occurrence, at(0)).await.unwrap();
    let figures = store.log.queue_stats(at(9)).await.unwrap();
    let found = (
        figures.queued,
        figures.running,
        figures.oldest_due,
        figures.outbox,
    );
    assert_eq!(found, (3, 1, Some(at(4)), 1), "L12");
}
