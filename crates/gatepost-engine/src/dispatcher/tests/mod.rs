//! The dispatcher over a worker with a scripted network.

mod backlog;
mod due_times;
mod uncached_webhooks;
mod unrecorded;

use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use gatepost_ids::Realm;
use gatepost_storage::Revision;
use gatepost_storage::webhooks::{
    DeliveryState, DueQueue, QueueClaim, QueueClass, QueueStore as _, RecordId, WebhookQueue,
};
use gatepost_testkit::fault::{Fault, When};
use webhook_model::{Activity, DeliveryOrder, OwnerId, Timeout, WebhookId};

use super::Dispatcher;
use crate::config::{InFlightLimits, Limits, RateLimits};
use crate::core::Core;
use crate::settle::UNRECORDED;
use crate::testing::{Bench, RETRY_AFTER, Records, Script, noon};

/// Runs a dispatcher over the deliveries in the store.
async fn run(records: &Records, limits: Limits, script: Script) -> Bench {
    let bench = Bench::new(records, &limits, script).await;
    run_on(bench, limits)
}

fn run_on(bench: Bench, limits: Limits) -> Bench {
    start(&bench, limits, 1);
    bench
}

/// Runs a dispatcher of this process.
fn start(bench: &Bench, limits: Limits, process: u128) -> Arc<Dispatcher> {
    let dispatcher = dispatcher(bench, limits, process);
    let part = dispatcher.clone();
    bench
        .lifecycle
        .supervise("dispatch", move || part.clone().run());
    dispatcher
}

/// Creates a dispatcher of this process that does not run.
fn dispatcher(bench: &Bench, limits: Limits, process: u128) -> Arc<Dispatcher> {
    Arc::new(Dispatcher {
        core: Arc::new(Core {
            holder: process,
            ..(*bench.core).clone()
        }),
        webhooks: bench.webhooks.clone(),
        admission: bench.admission.clone(),
        worker: bench.worker.clone(),
        timing: limits.timing,
    })
}

async fn states(records: &Records, state: DeliveryState) -> usize {
    let deliveries = records.deliveries().await;
    deliveries.iter().filter(|d| d.state == state).count()
}

async fn a_second() {
    tokio::time::sleep(Duration::from_secs(1)).await;
}

#[tokio::test(start_paused = true)]
async fn waiting_deliveries_are_found_and_queues_take_turns() {
    let records = Records::new();
    let (one, two) = (records.webhook(|_| {}).await, records.webhook(|_| {}).await);
    for n in 0..100 {
        records.waiting(one, &format!("a{n}")).await;
    }
    records.waiting(two, "b").await;
    let bench = run(&records, Limits::default(), Script::new(&[])).await;
    a_second().await;
    assert_eq!(states(&records, DeliveryState::Sent).await, 101);
    let turn = bench.script.sent().iter().position(|body| body == "b");
    assert!(
        turn.unwrap() <= Limits::default().in_flight.per_webhook,
        "{turn:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn claims_stay_within_the_free_slots() {
    let records = Records::new();
    let webhook = records.webhook(|_| {}).await;
    for _ in 0..20 {
        records.waiting(webhook, "x").await;
    }
    let in_flight = InFlightLimits::default().with_per_webhook(3);
    let script = Script::new(&[]);
    script.hold();
    let limits = Limits::default().with_in_flight(in_flight);
    let bench = run(&records, limits, script).await;
    a_second().await;
    assert_eq!(
        states(&records, DeliveryState::Running).await,
        1,
        "it is new"
    );
    bench.script.gate.add_permits(1);
    a_second().await;
    assert_eq!(states(&records, DeliveryState::Running).await, 3);
    bench.script.gate.add_permits(100);
    a_second().await;
    assert_eq!(states(&records, DeliveryState::Sent).await, 20);
}

#[tokio::test(start_paused = true)]
async fn ordered_webhook_sends_sequentially_and_paused_sends_nothing() {
    let records = Records::new();
    let ordered = records.webhook(|w| w.order = DeliveryOrder::InOrder).await;
    let paused = records.webhook(|w| w.activity = Activity::Paused).await;
    for n in 0..5 {
        records.waiting(ordered, &n.to_string()).await;
        records.waiting(paused, "p").await;
    }
    let bench = run(&records, Limits::default(), Script::new(&[])).await;
    a_second().await;
    assert_eq!(bench.script.sent(), ["0", "1", "2", "3", "4"]);
    records.set_activity(paused, Activity::Active).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(states(&records, DeliveryState::Sent).await, 10);
}

#[tokio::test(start_paused = true)]
async fn retries_leave_when_they_are_due() {
    let records = Records::new();
    let webhook = records.webhook(|_| {}).await;
    for _ in 0..10 {
        records.waiting(webhook, "x").await;
    }
    let bench = run(&records, Limits::default(), Script::new(&[500; 10])).await;
    a_second().await;
    assert_eq!(states(&records, DeliveryState::Queued).await, 10);
    assert_eq!(bench.script.sent().len(), 10);
    bench.broken.clock.advance(RETRY_AFTER * 2);
    a_second().await;
    assert_eq!(states(&records, DeliveryState::Sent).await, 10);
}

/// Creates a webhook of this owner.
async fn webhook_of(records: &Records, owner: u128) -> WebhookId {
    records.webhook(|w| w.owner = OwnerId(owner)).await
}

#[tokio::test(start_paused = true)]
async fn unreadable_webhook_is_retried_each_minute_without_blocking() {
    let records = Records::new();
    let (bad, good) = (webhook_of(&records, 1).await, webhook_of(&records, 2).await);
    records.waiting(bad, "bad").await;
    records.waiting(good, "good").await;
    let script = Script::new(&[]);
    let bench = Bench::new(&records, &Limits::default(), script).await;
    bench.store.set_unreadable(RecordId::Webhook(bad), true);
    let bench = run_on(bench, Limits::default());
    a_second().await;
    assert_eq!(bench.script.sent(), ["good"]);
    bench.store.set_unreadable(RecordId::Webhook(bad), false);
    tokio::time::sleep(Duration::from_secs(57)).await;
    assert_eq!(bench.script.sent(), ["good"], "it is not read all the time");
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(bench.script.sent(), ["good", "bad"]);
}

/// Returns how many of six deliveries that lost this number of claims run at a time, next to two
/// others.
async fn running_of_lost(claims: u32) -> Vec<usize> {
    let records = Records::new();
    let mut now = noon();
    for owner in 1..=3 {
        let webhook = webhook_of(&records, owner).await;
        records.claimed(webhook).await;
        records.claimed(webhook).await;
    }
    for claim in 1..=claims {
        now += TimeDelta::seconds(61);
        records.store.reclaim(10, now).await.unwrap();
        if claim < claims {
            records.claim_all(now).await;
        }
    }
    let other = webhook_of(&records, 4).await;
    for _ in 0..2 {
        records.due(other, "other", now).await;
    }
    let script = Script::new(&[]);
    script.hold();
    let bench = Bench::new(&records, &Limits::default(), script).await;
    bench.broken.clock.advance((now - noon()).to_std().unwrap());
    let bench = run_on(bench, Limits::default());
    let mut running = Vec::new();
    for permits in [0, 1, 1, 100] {
        bench.script.gate.add_permits(permits);
        a_second().await;
        running.push(states(&records, DeliveryState::Running).await);
    }
    assert_eq!(states(&records, DeliveryState::Sent).await, 8);
    running
}

#[tokio::test(start_paused = true)]
async fn deliveries_with_three_lost_claims_are_sent_singly() {
    assert_eq!(running_of_lost(1).await[0], 3 + 1, "one of each webhook");
    let running = running_of_lost(3).await;
    assert!(
        running.iter().all(|running| *running <= 1 + 2),
        "{running:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn lease_length_follows_timeout_class_of_its_webhook() {
    let records = Records::new();
    let script = Script::new(&[]);
    script.hold();
    let mut expected = Vec::new();
    for (seconds, class) in [(5, 10), (30, 30), (100, 120), (10, 10)] {
        let timeout = Timeout::from_secs(seconds).unwrap();
        let webhook = records.webhook(|w| w.timeout = timeout).await;
        let id = records.waiting(webhook, "x").await;
        expected.push((id, class));
    }
    let _bench = run(&records, Limits::default(), script).await;
    a_second().await;
    let margin = Limits::default().timing.lease_margin;
    for (id, class) in expected {
        let lease = records.stored(id).await.lease_until.unwrap() - noon();
        assert_eq!(lease.to_std().unwrap(), Duration::from_secs(class) + margin);
    }
}

#[tokio::test(start_paused = true)]
async fn webhook_edited_before_claim_is_sent_as_edited() {
    for url in [
        "https://target.example.com/new",
        "https://elsewhere.example.com/",
    ] {
        let records = Records::new();
        let webhook = records.webhook(|_| {}).await;
        let id = records.waiting(webhook, "x").await;
        let bench = Bench::new(&records, &Limits::default(), Script::new(&[])).await;
        bench.store.gate().hold("claim", 1, When::Before);
        let bench = run_on(bench, Limits::default());
        bench.store.gate().arrived().await;
        records
            .edit(webhook, |w| w.url = url.parse().unwrap())
            .await;
        bench.store.gate().open();
        tokio::time::sleep(Duration::from_secs(3)).await;
        let urls = bench.script.urls();
        assert_eq!(urls, [url], "and once");
        let stored = records.stored(id).await;
        assert_eq!((stored.state, stored.attempts), (DeliveryState::Sent, 1));
    }
}

/// Otherwise another process reclaims it while the request is under way, and sends it once more.
#[tokio::test(start_paused = true)]
async fn timeout_lengthened_before_claim_gets_longer_lease() {
    let records = Records::new();
    let timeout = |seconds| Timeout::from_secs(seconds).unwrap();
    let webhook = records.webhook(|w| w.timeout = timeout(10)).await;
    let id = records.waiting(webhook, "x").await;
    let script = Script::new(&[]);
    script.hold();
    let bench = Bench::new(&records, &Limits::default(), script).await;
    bench.store.gate().hold("claim", 1, When::Before);
    let bench = run_on(bench, Limits::default());
    bench.store.gate().arrived().await;
    records.edit(webhook, |w| w.timeout = timeout(60)).await;
    bench.store.gate().open();
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(bench.script.sent(), ["x"]);
    let now = noon() + TimeDelta::seconds(55);
    let reclaimed = records.store.reclaim(10, now).await.unwrap();
    assert_eq!((reclaimed.requeued, reclaimed.ended), (0, 0));
    bench.script.gate.add_permits(1);
    a_second().await;
    assert_eq!(bench.script.sent(), ["x"], "once");
    let stored = records.stored(id).await;
    assert_eq!((stored.state, stored.attempts), (DeliveryState::Sent, 1));
}

/// The process that has it by then has sent it, and the next ones.
#[tokio::test(start_paused = true)]
async fn slow_claim_with_expired_lease_is_not_sent() {
    let records = Records::new();
    let webhook = records.webhook(|w| w.order = DeliveryOrder::InOrder).await;
    let first = records.waiting(webhook, "1").await;
    records.waiting(webhook, "2").await;
    let bench = Bench::new(&records, &Limits::default(), Script::new(&[])).await;
    bench.store.gate().hold("claim", 1, When::After);
    let bench = run_on(bench, Limits::default());
    bench.store.gate().arrived().await;
    // Another process reclaims it, and sends it.
    bench.broken.clock.advance(Duration::from_secs(120));
    let now = noon() + TimeDelta::seconds(120);
    let reclaimed = records.store.reclaim(10, now).await.unwrap();
    assert_eq!(reclaimed.requeued, 1);
    let other = WebhookQueue {
        webhook,
        class: QueueClass::Lost,
    };
    let until = now + TimeDelta::seconds(60);
    let queues = [QueueClaim {
        queue: other,
        limit: 1,
    }];
    let claimed = records.store.claim(&queues, until, now).await.unwrap();
    assert_eq!(claimed[0].delivery.id, first);
    bench.store.gate().open();
    a_second().await;
    assert_eq!(bench.script.sent(), [""; 0]);
    let stored = records.stored(first).await;
    assert_eq!(stored.state, DeliveryState::Running, "it is the other's");
}

#[tokio::test(start_paused = true)]
async fn slow_queue_listing_does_not_delay_deliveries() {
    let records = Records::new();
    let webhook = records.webhook(|_| {}).await;
    let bench = run(&records, Limits::default(), Script::new(&[])).await;
    a_second().await;
    bench
        .store
        .fail("queues, due", 1, Fault::Hang(Duration::from_secs(600)));
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert!(bench.store.has_failed());
    records.waiting(webhook, "x").await;
    bench.admission.stored(&DueQueue {
        queue: WebhookQueue {
            webhook,
            class: QueueClass::First,
        },
        due: noon(),
        owner: OwnerId(1),
        realm: Realm::Shared,
        revision: Revision::FIRST,
    });
    tokio::time::sleep(Duration::from_millis(1)).await;
    assert_eq!(bench.script.sent(), ["x"]);
}

#[tokio::test(start_paused = true)]
async fn deliveries_of_disabled_owner_wait_without_repeated_claims() {
    let records = Records::new();
    let (bad, good) = (webhook_of(&records, 1).await, webhook_of(&records, 2).await);
    for _ in 0..100 {
        records.waiting(bad, "bad").await;
        records.waiting(good, "good").await;
    }
    let bench = Bench::new(&records, &Limits::default(), Script::new(&[])).await;
    bench.platform.enable(1, false);
    let bench = run_on(bench, Limits::default());
    a_second().await;
    assert_eq!(bench.script.sent(), ["good"; 100]);
    let before = bench.store.calls();
    tokio::time::sleep(Duration::from_secs(4)).await;
    let calls = bench.store.calls() - before;
    assert!(
        calls <= 3 * 4,
        "it is looked for, not claimed: {calls} calls"
    );
    assert_eq!(records.deliveries().await.len(), 200);
}

#[tokio::test(start_paused = true)]
async fn store_panic_delays_queues_but_loses_none() {
    for method in ["claim", "webhooks", "queues, due"] {
        let records = Records::new();
        for owner in 1..=3 {
            let webhook = webhook_of(&records, owner).await;
            records.waiting(webhook, "x").await;
        }
        let bench = Bench::new(&records, &Limits::default(), Script::new(&[])).await;
        bench.store.fail(method, 1, Fault::Panic);
        let bench = run_on(bench, Limits::default());
        tokio::time::sleep(Duration::from_secs(3)).await;
        assert!(bench.store.has_failed());
        assert_eq!(states(&records, DeliveryState::Sent).await, 3, "{method}");
        assert_eq!(bench.admission.in_flight(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn refused_claims_repeat_each_half_second_without_loss() {
    let records = Records::new();
    let webhook = records.webhook(|_| {}).await;
    records.waiting(webhook, "x").await;
    let bench = Bench::new(&records, &Limits::default(), Script::new(&[])).await;
    bench.store.set_refused("claim", true);
    let bench = run_on(bench, Limits::default());
    tokio::time::sleep(Duration::from_secs(10)).await;
    let calls = bench.store.calls();
    assert!((20..60).contains(&calls), "each half second: {calls}");
    bench.store.set_refused("claim", false);
    a_second().await;
    assert_eq!(bench.script.sent(), ["x"]);
}
