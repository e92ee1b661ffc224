//! Lists of deliveries and their sums.

use gatepost_storage::Page;
use gatepost_storage::webhooks::{
    DeliveryId, DeliveryQuery, DeliveryState, Disposition, NewDelivery,
};
use webhook_model::Activity;

use super::look::{all, listed, number};
use crate::fixtures::{
    UNLIMITED, at, change, claim, direct, end, message, occurrence, queued, settlement, task,
    webhook,
};
use crate::harness::Webhooks;

/// An enqueued delivery is listed as it was enqueued, its body byte for byte, with nothing
/// attempted.
pub async fn l01_a_delivery_is_listed_as_it_was_enqueued(store: Webhooks) {
    let hook = queued(&store, &[]).await;
    let made = store
        .records
        .insert_task(&task(hook), UNLIMITED, at(0))
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
    assert_eq!(
        store.log.attempts(id, 99).await.unwrap(),
        [],
        "L1 no attempts"
    );
    let none = store.log.delivery(DeliveryId(id.0 + 1000)).await.unwrap();
    assert_eq!(none, None, "L1 another number");
}

/// A list holds the deliveries of the requested webhook, task, states and period, in pages.
pub async fn l02_deliveries_are_listed_by_what_was_asked_for(store: Webhooks) {
    let hook = queued(&store, &[]).await;
    let other = store
        .records
        .insert_webhook(&webhook("other"), UNLIMITED, at(0))
        .await
        .unwrap()
        .id;
    let made = store
        .records
        .insert_task(&task(hook), UNLIMITED, at(0))
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
    end(&store, hook, Disposition::Sent, 5).await;
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
    let retry = Disposition::Retry { due: at(5) };
    end(&store, hook, retry, 0).await;
    let claimed = claim(&store, hook, 5).await;
    let mut last = settlement(&claimed[0], Disposition::Failed);
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
    let kept = store.log.attempts(id, 99).await.unwrap();
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
/// The figures count waiting and leased deliveries and the outbox, and give the oldest due time of
/// active webhooks.
pub async fn l12_the_figures_are_right(store: Webhooks) {
    let empty = store.log.count_queue(at(0)).await.unwrap();
    let found = (empty.queued, empty.running, empty.oldest_due, empty.outbox);
    assert_eq!(found, (0, 0, None, 0), "L12 empty");
    let kept = store.log.queue_stats().await.unwrap();
    assert_eq!(kept, Some(empty), "L12 kept");
    let hook = queued(&store, &["a"]).await;
    assert_eq!(claim(&store, hook, 0).await.len(), 1, "L12 one is running");
    let paused = store
        .records
        .insert_webhook(&webhook("p"), UNLIMITED, at(0))
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
    let pushed = store.outbox.push_outbox(&occurrence("on"), at(0)).await;
    assert!(pushed.is_ok(), "L12 pushed");
    let figures = store.log.count_queue(at(9)).await.unwrap();
    let found = (
        figures.queued,
        figures.running,
        figures.oldest_due,
        figures.outbox,
    );
    assert_eq!(found, (3, 1, Some(at(4)), 1), "L12");
    let kept = store.log.queue_stats().await.unwrap();
    assert_eq!(kept, Some(figures), "L12 kept for all");
}
