//! The platform's code panics under load: its clock, its metrics recorder, its log subscriber. No
//! outcome is lost, and no delivery with a response is sent twice.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use chrono::{DateTime, Utc};
use gatepost_engine::{Engine, Health};
use gatepost_storage::webhooks::{Delivery, DeliveryLog, DeliveryQuery, DeliveryState};
use gatepost_storage::{Clock, Page, SystemClock};
use metrics::{Counter, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit};
use tokio::time::Instant;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Subscriber};

use crate::captured_log::heard;
use crate::support::{Receiver, World, poweron, receiver, until, world_with};

/// The duration of each fault.
const FAULT: Duration = Duration::from_millis(500);

/// Panics for every caller, while it is on.
#[derive(Clone, Debug, Default)]
struct Fault(Arc<AtomicBool>);

impl Fault {
    fn set(&self, on: bool) {
        self.0.store(on, Ordering::SeqCst);
    }

    fn check(&self) {
        assert!(!self.0.load(Ordering::SeqCst), "the platform's code panics");
    }
}

impl Clock for Fault {
    fn now(&self) -> DateTime<Utc> {
        self.check();
        SystemClock.now()
    }

    fn passed(&self) -> Option<Duration> {
        self.check();
        None
    }
}

impl Recorder for Fault {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, _: &Key, _: &Metadata<'_>) -> Counter {
        self.check();
        Counter::noop()
    }

    fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
        self.check();
        Gauge::noop()
    }

    fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
        self.check();
        Histogram::noop()
    }
}

/// Takes the log of the engine and the sender, and nothing of the libraries beneath them.
impl Subscriber for Fault {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.target().starts_with("gatepost_engine")
            || metadata.target().starts_with("delivery")
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        self.check();
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {
        self.check();
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {
        self.check();
    }

    fn event(&self, _: &Event<'_>) {
        self.check();
    }

    fn enter(&self, _: &Id) {
        self.check();
    }

    fn exit(&self, _: &Id) {
        self.check();
    }

    fn try_close(&self, _: Id) -> bool {
        self.check();
        true
    }
}

/// An engine under load, with the platform's code.
struct Load {
    world: World,
    receiver: Receiver,
    clock: Fault,
    recorder: Fault,
    subscriber: Fault,
}

impl Load {
    async fn start() -> Self {
        let clock = Fault::default();
        let world = world_with(|builder| builder.clock(Arc::new(clock.clone()))).await;
        let (receiver, addr) = receiver(false, &[]).await;
        let webhook = world.webhook("w", addr, |_| {}).await;
        world.tagged(webhook, "${NAME}").await;
        Self {
            world,
            receiver,
            clock,
            recorder: Fault::default(),
            subscriber: Fault::default(),
        }
    }

    fn received(&self) -> usize {
        self.receiver.bodies.lock().unwrap().len()
    }

    async fn health(&self) -> Health {
        self.world.engine.health().await.unwrap()
    }

    async fn deliveries(&self) -> Vec<Delivery> {
        let query = DeliveryQuery::all(Page::first(100_000));
        self.world.store.list_deliveries(&query).await.unwrap()
    }

    /// Emits continuously, switches these faults on for half a second in the middle, and compares
    /// received with recorded deliveries. Returns the health values seen during the faults.
    async fn goes_through(&self, faults: &[&Fault]) -> Vec<Health> {
        // All tasks of a test run on its thread.
        let _recorder = metrics::set_default_local_recorder(&self.recorder);
        let _subscriber = heard(self.subscriber.clone());
        let stop = Fault::default();
        let pouring = tokio::spawn(pour(self.world.engine.clone(), stop.clone()));
        until(|| self.received() >= 50).await;

        faults.iter().for_each(|fault| fault.set(true));
        let mut seen = Vec::new();
        let began = Instant::now();
        while began.elapsed() < FAULT {
            seen.push(self.health().await);
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        faults.iter().for_each(|fault| fault.set(false));

        let before = self.received();
        until(|| self.received() >= before + 50).await;
        stop.set(true);
        pouring.await.unwrap();
        self.all_settled().await;
        assert!(self.health().await.recording, "and all is well again");
        seen
    }

    async fn all_settled(&self) {
        let began = Instant::now();
        let mut deliveries = self.deliveries().await;
        while !deliveries.iter().all(|d| d.state.is_final()) {
            assert!(began.elapsed() < Duration::from_secs(10), "{deliveries:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
            deliveries = self.deliveries().await;
        }
        for delivery in &deliveries {
            let end = (delivery.state, delivery.attempts, delivery.lost_claims);
            assert_eq!(end, (DeliveryState::Sent, 1, 0), "{delivery:?}");
        }
        let bodies = self.receiver.bodies.lock().unwrap().clone();
        let different: BTreeSet<_> = bodies.iter().collect();
        assert_eq!(bodies.len(), different.len(), "nothing was sent twice");
        assert_eq!(bodies.len(), deliveries.len());
    }
}

/// Emits until it is stopped. An emit that fails has stored nothing, or all of it.
async fn pour(engine: Engine, stop: Fault) {
    for n in 0..100_000 {
        if stop.0.load(Ordering::SeqCst) {
            return;
        }
        let _ = engine.emit(poweron(n, &[1])).await;
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test]
async fn panicking_clock_stops_sending_and_loses_no_outcome() {
    let load = Load::start().await;
    let seen = load.goes_through(&[&load.clock]).await;
    assert!(nothing_claimed_while_not_recording(&seen));
}

#[tokio::test]
async fn panicking_metrics_recorder_loses_no_delivery() {
    let load = Load::start().await;
    let seen = load.goes_through(&[&load.recorder]).await;
    assert!(seen.iter().all(|health| health.recording));
}

#[tokio::test]
async fn panicking_log_subscriber_loses_no_delivery() {
    let load = Load::start().await;
    let seen = load.goes_through(&[&load.subscriber]).await;
    assert!(seen.iter().all(|health| health.recording));
}

#[tokio::test]
async fn panicking_clock_recorder_and_subscriber_lose_no_outcome() {
    let load = Load::start().await;
    let all = [&load.clock, &load.recorder, &load.subscriber];
    let seen = load.goes_through(&all).await;
    assert!(nothing_claimed_while_not_recording(&seen));
}

/// From its first sign on, outcomes were not recorded, and no new request was in flight.
fn nothing_claimed_while_not_recording(seen: &[Health]) -> bool {
    let blind: Vec<_> = seen.iter().skip_while(|health| health.recording).collect();
    let in_flight = blind.iter().map(|health| health.in_flight);
    blind.len() > seen.len() / 2
        && blind.iter().all(|health| !health.recording)
        && in_flight
            .clone()
            .is_sorted_by(|earlier, later| earlier >= later)
}
