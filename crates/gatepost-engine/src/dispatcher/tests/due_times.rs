//! Queues are found by their due times, not by walking over all of them.

use gatepost_storage::Clock as _;
use gatepost_storage::webhooks::Arrived;

use super::*;

/// Moves the clock and the timers together.
async fn pass(bench: &Bench, seconds: u64) {
    pass_in(bench, seconds, Duration::from_millis(100)).await;
}

async fn pass_in(bench: &Bench, seconds: u64, step: Duration) {
    let end = tokio::time::Instant::now() + Duration::from_secs(seconds);
    while tokio::time::Instant::now() < end {
        bench.broken.clock.advance(step);
        tokio::time::sleep(step).await;
    }
}

fn of(webhook: WebhookId) -> WebhookQueue {
    WebhookQueue {
        webhook,
        class: QueueClass::First,
    }
}

#[tokio::test(start_paused = true)]
async fn paused_queues_do_not_increase_idle_store_calls() {
    let mut calls = Vec::new();
    for webhooks in [0, 1_000] {
        let records = Records::new();
        let mut paused = Vec::new();
        for _ in 0..webhooks {
            let webhook = records.webhook(|w| w.activity = Activity::Paused).await;
            records.waiting(webhook, "x").await;
            paused.push(webhook);
        }
        let bench = run(&records, Limits::default(), Script::new(&[])).await;
        pass(&bench, 5).await;
        let before = bench.store.calls();
        pass(&bench, 60).await;
        calls.push(bench.store.calls() - before);
        assert_eq!(bench.store.calls_of("claim"), 0);
    }
    let [none, many] = calls[..] else { panic!() };
    assert!(none <= 3 * 60 && many <= none + 5, "{none} and {many}");
}

#[tokio::test(start_paused = true)]
async fn remote_delivery_is_sent_on_notification_or_poll() {
    let records = Records::new();
    let (told, untold) = (records.webhook(|_| {}).await, records.webhook(|_| {}).await);
    let bench = Bench::new(&records, &Limits::default(), Script::new(&[])).await;
    let dispatcher = start(&bench, Limits::default(), 1);
    a_second().await;
    records.waiting(told, "told").await;
    dispatcher.hear(Arrived::Queues(vec![of(told)]));
    tokio::time::sleep(Duration::from_millis(1)).await;
    assert_eq!(bench.script.sent(), ["told"]);
    for (n, arrived) in [(0, Arrived::Due), (1, Arrived::Anything)] {
        records.waiting(told, "more").await;
        dispatcher.hear(arrived);
        tokio::time::sleep(Duration::from_millis(1)).await;
        assert_eq!(bench.script.sent().len(), 2 + n);
    }
    records.waiting(untold, "untold").await;
    a_second().await;
    assert_eq!(bench.script.sent().last().unwrap(), "untold");
}

#[tokio::test(start_paused = true)]
async fn late_committed_delivery_is_found_by_backward_scan() {
    let records = Records::new();
    let webhook = records.webhook(|_| {}).await;
    let bench = run(&records, Limits::default(), Script::new(&[])).await;
    pass(&bench, 3).await;
    records.waiting(webhook, "late by three seconds").await;
    pass(&bench, 6).await;
    assert_eq!(bench.script.sent().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn retries_of_this_process_are_not_asked_for() {
    let records = Records::new();
    let webhook = records.webhook(|_| {}).await;
    records.waiting(webhook, "x").await;
    let bench = run(&records, Limits::default(), Script::new(&[500])).await;
    pass(&bench, 5).await;
    for method in ["queues, due", "queues, of", "queues, beyond"] {
        bench.store.set_refused(method, true);
    }
    pass(&bench, RETRY_AFTER.as_secs() * 2).await;
    assert_eq!(bench.script.sent().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn in_order_queue_continues_after_a_successful_retry() {
    let records = Records::new();
    let webhook = records.webhook(|w| w.order = DeliveryOrder::InOrder).await;
    for body in ["a", "b", "c"] {
        records.waiting(webhook, body).await;
    }
    let bench = run(&records, Limits::default(), Script::new(&[500])).await;
    pass(&bench, 10).await;
    assert_eq!(bench.script.sent(), ["a"]);
    pass(&bench, RETRY_AFTER.as_secs() * 2).await;
    assert_eq!(bench.script.sent(), ["a", "a", "b", "c"]);
}

/// The look finds the retry to the millisecond, before this process's own timer does.
#[tokio::test(start_paused = true)]
async fn ordered_queue_continues_soon_after_scan_finds_retry() {
    let records = Records::new();
    let webhook = records.webhook(|w| w.order = DeliveryOrder::InOrder).await;
    for body in ["a", "b", "c"] {
        records.waiting(webhook, body).await;
    }
    let bench = run(&records, Limits::default(), Script::new(&[500])).await;
    let step = Duration::from_millis(1);
    for _ in 0..2 * RETRY_AFTER.as_secs() {
        if bench.script.sent().len() < 2 {
            pass_in(&bench, 1, step).await;
        }
    }
    pass_in(&bench, 1, step).await;
    assert_eq!(bench.script.sent(), ["a", "a", "b", "c"]);
}

#[tokio::test(start_paused = true)]
async fn clock_skew_stops_claims_until_clock_is_right() {
    let records = Records::new();
    let webhook = records.webhook(|_| {}).await;
    let bench = run(&records, Limits::default(), Script::new(&[])).await;
    let server = |seconds| {
        let now = bench.broken.clock.now() + TimeDelta::seconds(seconds);
        bench.store.set_server_time(now);
    };
    server(31);
    bench.clock.compare(&*bench.store).await;
    records.waiting(webhook, "x").await;
    a_second().await;
    assert!(bench.script.sent().is_empty() && bench.store.calls_of("claim") == 0);
    server(29);
    bench.clock.compare(&*bench.store).await;
    a_second().await;
    assert_eq!(bench.script.sent(), ["x"]);
}
