//! Leases, clocks, held deliveries and retention.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_engine::{Limits, RateLimits, StartError, Timing};
use gatepost_kv::MemoryStore;
use gatepost_storage::webhooks::{DeliveryLog, DeliveryState};
use gatepost_storage::{Clock, ManualClock};
use gatepost_testkit::fault::FaultStore;
use webhook_model::{Timeout, Webhook};

use crate::support::{World, builder, receiver, until, world, world_with};

fn noon() -> DateTime<Utc> {
    "2026-03-01T12:00:00Z".parse().unwrap()
}

#[tokio::test]
async fn a_worker_that_comes_too_late_changes_nothing() {
    let clock = Arc::new(ManualClock::at(noon()));
    let limits =
        Limits::default().with_timing(Timing::default().with_poll(Duration::from_millis(20)));
    let world = world_with(|builder| builder.clock(clock.clone()).limits(limits)).await;
    let (receiver, addr) = receiver(true, &[503, 200]).await;
    // Longer than the interval at which lost claims are looked for.
    let patient = |webhook: &mut Webhook| webhook.timeout = Timeout::from_secs(10).unwrap();
    let webhook = world.webhook("w", addr, patient).await;
    let id = world.send(webhook).await;
    until(|| receiver.open.load(Ordering::SeqCst) == 1).await;
    clock.advance(Duration::from_secs(41)); // the class of its timeout, 10 s, and 30 s more
    until(|| receiver.open.load(Ordering::SeqCst) == 2).await;
    // The first worker gets the first response, 503, when its claim is void; the second gets 200.
    receiver.stall.add_permits(2);
    let delivery = world.ended(id).await;
    assert_eq!(
        (delivery.state, delivery.attempts, delivery.lost_claims),
        (DeliveryState::Sent, 1, 0),
        "a claim that was lost beside others is not held against it"
    );
    world.engine.shutdown(Duration::from_secs(1)).await;
    let attempts = world.store.attempts(id, 99).await.unwrap();
    assert_eq!(
        attempts.iter().map(|a| a.status).collect::<Vec<_>>(),
        [Some(200)]
    );
}

#[tokio::test]
async fn shutdown_lets_what_is_in_flight_end() {
    let world = world().await;
    let (receiver, addr) = receiver(true, &[]).await;
    let webhook = world.webhook("w", addr, |_| {}).await;
    let id = world.send(webhook).await;
    until(|| receiver.open.load(Ordering::SeqCst) == 1).await;
    let engine = world.engine.clone();
    let shutdown = tokio::spawn(async move { engine.shutdown(Duration::from_secs(10)).await });
    let late = world.send(webhook).await;
    receiver.stall.add_permits(10);
    shutdown.await.unwrap();
    let states = [
        world.store.delivery(id).await.unwrap().unwrap(),
        world.store.delivery(late).await.unwrap().unwrap(),
    ];
    assert_eq!(states[0].state, DeliveryState::Sent);
    assert_eq!(
        states[1].state,
        DeliveryState::Queued,
        "stored, and left to the next process"
    );
}

#[tokio::test]
async fn database_clock_decides_and_large_skew_is_refused() {
    for (seconds, fits) in [
        (0, true),
        (20, true),
        (-20, true),
        (31, false),
        (-40, false),
    ] {
        let store = FaultStore::new(Arc::new(MemoryStore::new()));
        store.set_server_time(noon() + TimeDelta::seconds(seconds));
        let store = Arc::new(store);
        let started = builder(store)
            .clock(Arc::new(ManualClock::at(noon())))
            .start()
            .await;
        match started {
            Ok(engine) => {
                assert!(fits, "{seconds}");
                let (_receiver, addr) = receiver(false, &[]).await;
                let world = World {
                    store: Arc::new(MemoryStore::new()),
                    engine,
                };
                let webhook = world.webhook("w", addr, |_| {}).await;
                let row = world.engine.webhook(webhook).await.unwrap().unwrap();
                assert_eq!(row.created, noon() + TimeDelta::seconds(seconds));
            }
            Err(error) => {
                assert!(!fits, "{error}");
                assert!(
                    matches!(error, StartError::ClockSkew(s) if s == seconds),
                    "{error:?}"
                );
            }
        }
    }
}

#[tokio::test]
async fn held_deliveries_resume_at_a_bounded_rate() {
    let limits = Limits::default()
        .with_rates(RateLimits::default().with_resumed_per_second(10))
        .with_timing(Timing::default().with_poll(Duration::from_millis(50)));
    let world = world_with(|builder| builder.limits(limits)).await;
    let (receiver, addr) = receiver(false, &[]).await;
    let webhook = world.webhook("w", addr, |_| {}).await;
    world.tagged(webhook, "${NAME}").await;
    world.engine.pause_webhook(webhook).await.unwrap();
    for n in 0..30 {
        world.emit(n, &[1]).await;
    }
    let began = tokio::time::Instant::now();
    world.engine.resume_webhook(webhook).await.unwrap();
    until(|| receiver.bodies().len() == 30).await;
    let took = began.elapsed();
    assert!(
        took >= Duration::from_millis(1900),
        "10 at once, then 10 a second: {took:?}"
    );
}

#[tokio::test]
async fn clocks_that_jump_lose_nothing() {
    let clock = Arc::new(ManualClock::at(noon()));
    let limits =
        Limits::default().with_timing(Timing::default().with_poll(Duration::from_millis(20)));
    let world = world_with(|builder| builder.clock(clock.clone()).limits(limits)).await;
    let (receiver, addr) = receiver(false, &[500; 12]).await;
    let webhook = world.webhook("w", addr, |_| {}).await;
    let mut ids = Vec::new();
    for days in [0, 400, -800, 400] {
        clock.jump(TimeDelta::days(days));
        for _ in 0..3 {
            ids.push(world.send(webhook).await);
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    clock.jump(TimeDelta::days(900));
    for id in ids {
        // The purge does not remove deliveries that have just ended: it runs once a minute.
        assert!(world.ended(id).await.attempts >= 1);
    }
    let bodies = receiver.bodies().len();
    assert!((12..=12 * 4).contains(&bodies), "{bodies}");
    assert!(clock.now() > noon());
    assert!(world.engine.health().await.unwrap().recording);
}
