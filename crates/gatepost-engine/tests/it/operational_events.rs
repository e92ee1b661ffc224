//! Notices to users about their own webhooks, by other webhooks.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::{DateTime, Utc};
use gatepost_engine::{Engine, EngineBuilder, Limits, OperationalEvents, StartError};
use gatepost_kv::MemoryStore;
use gatepost_storage::webhooks::{
    Delivery, DeliveryId, DeliveryLog as _, DeliveryQuery, HourlyCount, WebhookStore,
};
use gatepost_storage::{ManualClock, Page};
use gatepost_testkit::fault::{FaultStore, Passing, When};
use webhook_model::{Activity, Audience, Event, OwnerId, Retries, Target, Webhook, WebhookId};

use crate::support::{Receiver, World, builder, poweron, receiver, until};

const HOUR: Duration = Duration::from_secs(3600);

fn noon() -> DateTime<Utc> {
    "2026-11-23T12:00:00Z".parse().unwrap()
}

/// An engine with operational events, and its clock.
struct Told {
    world: World,
    clock: Arc<ManualClock>,
}

fn telling(store: Arc<dyn WebhookStore>, clock: &Arc<ManualClock>) -> EngineBuilder {
    let own = OperationalEvents::all();
    builder(store).clock(clock.clone()).operational_events(own)
}

impl Told {
    async fn start() -> Self {
        let clock = Arc::new(ManualClock::at(noon()));
        let store = Arc::new(MemoryStore::new());
        let engine = telling(store.clone(), &clock).start().await.unwrap();
        let world = World { store, engine };
        Self { world, clock }
    }

    /// Creates a webhook that gives up immediately and receives each machine that is switched on.
    async fn fragile(&self, name: &str, addr: SocketAddr) -> WebhookId {
        let webhook = self.webhook(name, addr).await;
        self.on("vms", "poweron", webhook, "${NAME}").await;
        webhook
    }

    async fn webhook(&self, name: &str, addr: SocketAddr) -> WebhookId {
        let no_retries = |w: &mut Webhook| w.retries = Retries::new(0).unwrap();
        self.world.webhook(name, addr, no_retries).await
    }

    async fn on(&self, of: &str, event: &str, webhook: WebhookId, message: &str) {
        let task = self.world.task(webhook, message, false).await;
        let target = match of {
            "vms" => Target::Tag(webhook_model::TagId(1)),
            _ => Target::Generic,
        };
        let event = Event::new(of.parse().unwrap(), event.parse().unwrap(), target, task);
        self.world.engine.create_event(&event).await.unwrap();
    }

    /// Creates a webhook that receives all operational events about webhooks.
    async fn informed(&self, name: &str, addr: SocketAddr) -> WebhookId {
        let webhook = self.webhook(name, addr).await;
        for (event, message) in [
            ("failing", "failing ${NAME} (${REASON}) since ${SINCE}"),
            ("recovered", "recovered ${NAME} ${WEBHOOK}"),
            ("disabled", "disabled ${NAME} ${REASON}"),
            ("exhausted", "exhausted ${NAME} ${COUNT} ${REASON}"),
            ("rejected", "rejected ${NAME} ${COUNT} ${REASON}"),
        ] {
            self.on("webhooks", event, webhook, message).await;
        }
        webhook
    }

    /// Switches a machine on, and waits until its deliveries have ended.
    async fn poweron(&self) -> Vec<Delivery> {
        let emitted = self.world.emit(1, &[1]).await;
        let mut ended = Vec::new();
        for id in emitted {
            ended.push(self.world.ended(id).await);
        }
        ended
    }

    async fn all(&self) -> Vec<Delivery> {
        let query = DeliveryQuery::all(Page::first(10_000));
        self.world.store.list_deliveries(&query).await.unwrap()
    }

    /// Returns the messages of a webhook that are not about machines, once all are sent.
    async fn told_to(&self, webhook: WebhookId) -> Vec<String> {
        self.world.engine.shutdown(Duration::from_secs(10)).await;
        let all = self.all().await.into_iter();
        let told = all.filter(|d| d.webhook == webhook && !is_of_machine(d));
        let mut told: Vec<_> = told.map(|delivery| delivery.body.to_string()).collect();
        told.sort();
        told
    }
}

fn is_of_machine(delivery: &Delivery) -> bool {
    let cause = delivery.cause.as_ref();
    cause.is_some_and(|cause| cause.event_type.as_str() == "vms")
}

/// Waits until it has received this number of messages; returns all of them, sorted.
async fn heard(receiver: &Receiver, count: usize) -> Vec<String> {
    until(|| receiver.bodies().len() >= count).await;
    let mut bodies = receiver.bodies();
    bodies.sort();
    bodies
}

#[tokio::test]
async fn failing_webhook_and_recovery_reach_another_webhook() {
    let told = Told::start().await;
    let (_, addr) = receiver(false, &[500, 500, 200]).await;
    let (good, good_addr) = receiver(false, &[]).await;
    let orders = told.fragile("orders", addr).await;
    told.informed("ops", good_addr).await;

    told.poweron().await;
    let reason = "the target responded with status 500";
    let failing = format!("failing orders ({reason}) since 2026-11-23T12:00:00Z");
    let exhausted = format!("exhausted orders 1 {reason}");
    assert_eq!(heard(&good, 2).await, [exhausted.clone(), failing.clone()]);

    // Again: its notice comes an hour later.
    told.poweron().await;
    told.poweron().await;
    let recovered = format!("recovered orders {}", orders.0);
    let all = heard(&good, 3).await;
    assert_eq!(all, [exhausted.clone(), failing.clone(), recovered.clone()]);
    told.clock.advance(HOUR);
    let all = heard(&good, 4).await;
    assert_eq!(all, [exhausted.clone(), exhausted, failing, recovered]);
}

#[tokio::test]
async fn failing_is_reported_once_and_exhausted_counts_hourly() {
    let told = Told::start().await;
    let (_, addr) = receiver(false, &[500; 100]).await;
    let (good, good_addr) = receiver(false, &[]).await;
    told.fragile("orders", addr).await;
    let ops = told.informed("ops", good_addr).await;
    told.poweron().await;
    heard(&good, 2).await;
    for _ in 0..4 {
        told.poweron().await;
    }
    told.clock.advance(HOUR);
    let told = told.told_to(ops).await;
    let failing: Vec<_> = told
        .iter()
        .filter(|text| text.starts_with("failing"))
        .collect();
    assert_eq!(failing.len(), 1, "{told:?}");
    let counts = told
        .iter()
        .filter_map(|text| text.strip_prefix("exhausted orders "));
    let counts: Vec<u64> = counts.map(|text| text[..1].parse().unwrap()).collect();
    assert_eq!(counts, [1, 4], "{told:?}");
}

#[tokio::test]
async fn ten_minutes_of_failures_are_reported_without_exhaustion() {
    let told = Told::start().await;
    let (_, addr) = receiver(false, &[503; 100]).await;
    let (good, good_addr) = receiver(false, &[]).await;
    let patient = |w: &mut Webhook| w.retries = Retries::new(100).unwrap();
    let orders = told.world.webhook("orders", addr, patient).await;
    told.on("vms", "poweron", orders, "${NAME}").await;
    told.informed("ops", good_addr).await;
    let emitted = told.world.emit(1, &[1]).await;
    until_tried(&told, emitted[0]).await;
    told.clock.advance(Duration::from_secs(11 * 60));
    let failing =
        "failing orders (the target responded with status 503) since 2026-11-23T12:00:00Z";
    assert_eq!(heard(&good, 1).await, [failing]);
}

#[tokio::test]
async fn webhook_delivered_by_another_process_is_not_failing() {
    let told = Told::start().await;
    let (_, addr) = receiver(false, &[503; 100]).await;
    let (_, good_addr) = receiver(false, &[]).await;
    let patient = |w: &mut Webhook| w.retries = Retries::new(100).unwrap();
    let orders = told.world.webhook("orders", addr, patient).await;
    told.on("vms", "poweron", orders, "${NAME}").await;
    let ops = told.informed("ops", good_addr).await;
    let emitted = told.world.emit(1, &[1]).await;
    until_tried(&told, emitted[0]).await;
    let at = noon() + Duration::from_secs(5 * 60);
    let sent = HourlyCount {
        sent: 1,
        last_sent: Some(at),
        ..HourlyCount::none(orders, at)
    };
    told.world.store.add_counts(&[sent]).await.unwrap();
    told.clock.advance(Duration::from_secs(11 * 60));
    assert_eq!(told.told_to(ops).await, Vec::<String>::new());
}

async fn until_tried(told: &Told, id: DeliveryId) {
    let tried = async || {
        let delivery = told.world.store.delivery(id).await;
        delivery.unwrap().unwrap().attempts > 0
    };
    while !tried().await {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn rejected_deliveries_are_reported_hourly_with_count() {
    let clock = Arc::new(ManualClock::at(noon()));
    let store = Arc::new(MemoryStore::new());
    let mut limits = Limits::default();
    limits.emit = limits.emit.with_deliveries_per_owner(2);
    let engine = telling(store.clone(), &clock).limits(limits);
    let engine = engine.start().await.unwrap();
    let world = World { store, engine };
    let told = Told { world, clock };
    let (_, addr) = receiver(false, &[]).await;
    let (good, good_addr) = receiver(false, &[]).await;
    let orders = told.fragile("orders", addr).await;
    for _ in 0..4 {
        told.on("vms", "poweron", orders, "again").await;
    }
    told.informed("ops", good_addr).await;
    told.poweron().await;
    let first = "rejected orders 3 occurrence".to_owned();
    assert_eq!(heard(&good, 1).await, std::slice::from_ref(&first));
    told.poweron().await;
    told.poweron().await;
    told.clock.advance(HOUR);
    let second = "rejected orders 6 occurrence".to_owned();
    assert_eq!(heard(&good, 2).await, [first, second]);
}

#[tokio::test]
async fn manually_disabled_webhook_is_reported_once() {
    let told = Told::start().await;
    let (_, addr) = receiver(false, &[]).await;
    let (good, good_addr) = receiver(false, &[]).await;
    let orders = told.webhook("orders", addr).await;
    let ops = told.informed("ops", good_addr).await;
    for activity in [Activity::Disabled, Activity::Disabled, Activity::Active] {
        let set = |webhook: &mut Webhook| {
            webhook.activity = activity;
            Ok(())
        };
        told.world.engine.edit_webhook(orders, set).await.unwrap();
    }
    assert_eq!(heard(&good, 1).await, ["disabled orders manually"]);
    told.world.engine.pause_webhook(orders).await.unwrap();
    assert_eq!(told.told_to(ops).await, ["disabled orders manually"]);
}

#[tokio::test]
async fn operational_event_never_reaches_its_webhook_or_cascades() {
    let told = Told::start().await;
    let (_, first_addr) = receiver(false, &[500; 1000]).await;
    let (_, second_addr) = receiver(false, &[500; 1000]).await;
    // Each of two that fail would be notified of both.
    let first = told.informed("first", first_addr).await;
    let second = told.informed("second", second_addr).await;
    told.on("vms", "poweron", first, "${NAME}").await;
    told.poweron().await;
    until_failed(&told, second, 2).await;
    told.clock.advance(2 * HOUR);
    assert_eq!(told.told_to(first).await, [""; 0]);
    let to_second = told.told_to(second).await;
    assert_eq!(to_second.len(), 2, "{to_second:?}");
    assert_eq!(told.all().await.len(), 3);
}

/// Waits until this number of deliveries to it have failed.
async fn until_failed(told: &Told, webhook: WebhookId, count: usize) {
    for _ in 0..1_000 {
        let all = told.all().await;
        let failed = all
            .iter()
            .filter(|d| d.webhook == webhook && d.state.is_final());
        if failed.count() >= count {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{count} deliveries did not fail");
}

#[tokio::test]
async fn platform_event_loops_are_not_interrupted() {
    let told = Told::start().await;
    let (_, addr) = receiver(false, &[500; 1000]).await;
    let webhook = told.webhook("alarms", addr).await;
    told.on("alarms", "raised", webhook, "${NAME}").await;
    let alarm = || {
        let (of, event) = ("alarms".parse().unwrap(), "raised".parse().unwrap());
        webhook_model::Occurrence::new(of, event, Audience::OneSystem)
    };
    told.world.engine.emit(alarm()).await.unwrap();
    for failed in 1..=20 {
        // The platform raises an alarm for each delivery that failed: the engine does not cut this
        // loop.
        until_failed(&told, webhook, failed).await;
        told.world.engine.emit(alarm()).await.unwrap();
    }
}

#[tokio::test]
async fn another_engine_reports_nothing_twice_and_knows_failures() {
    let told = Told::start().await;
    let (_, addr) = receiver(false, &[500, 500, 200]).await;
    let (good, good_addr) = receiver(false, &[]).await;
    told.fragile("orders", addr).await;
    told.informed("ops", good_addr).await;
    let beside = telling(told.world.store.clone(), &told.clock);
    let beside = beside.start().await.unwrap();
    told.poweron().await;
    heard(&good, 2).await;
    // The other process sees a failure, too.
    let emitted = beside.emit(poweron(1, &[1])).await.unwrap();
    told.world.ended(emitted.deliveries[0]).await;
    beside.shutdown(Duration::from_secs(10)).await;
    told.world.engine.shutdown(Duration::from_secs(10)).await;
    assert_eq!(heard(&good, 2).await.len(), 2);

    // Both have ended; the next process has seen no failure.
    let next = telling(told.world.store.clone(), &told.clock);
    let next = next.start().await.unwrap();
    let emitted = next.emit(poweron(1, &[1])).await.unwrap();
    told.world.ended(emitted.deliveries[0]).await;
    until(|| {
        good.bodies
            .lock()
            .unwrap()
            .iter()
            .any(|text| text.starts_with("recovered"))
    })
    .await;
    next.shutdown(Duration::from_secs(10)).await;
    assert_eq!(
        heard(&good, 3).await.len(),
        3,
        "failing, exhausted, recovered"
    );
}

#[tokio::test]
async fn webhook_delivered_to_while_recalled_is_not_failing() {
    let told = Told::start().await;
    let (_, addr) = receiver(false, &[500]).await;
    let (good, good_addr) = receiver(false, &[]).await;
    let orders = told.fragile("orders", addr).await;
    let ops = told.informed("ops", good_addr).await;
    told.poweron().await;
    heard(&good, 2).await;
    told.world.engine.shutdown(Duration::from_secs(10)).await;

    let store = Arc::new(FaultStore::new(told.world.store.clone()));
    // It was found among those that fail; then another process delivers to it.
    let gate = store.gate();
    gate.hold("list_deliveries", 1, When::After);
    let next = telling(store, &told.clock).start().await.unwrap();
    gate.arrived().await;
    let at = noon() + Duration::from_secs(5 * 60);
    let sent = HourlyCount {
        sent: 1,
        last_sent: Some(at),
        ..HourlyCount::none(orders, at)
    };
    told.world.store.add_counts(&[sent]).await.unwrap();
    gate.open();
    gate.ended().await;
    next.shutdown(Duration::from_secs(10)).await;
    let all = told.told_to(ops).await;
    let failing = all.iter().filter(|text| text.starts_with("failing"));
    assert_eq!(failing.count(), 1, "{all:?}");
}

#[tokio::test]
async fn recovery_is_looked_for_since_the_webhook_fails() {
    let clock = Arc::new(ManualClock::at(noon()));
    let memory = Arc::new(MemoryStore::new());
    let store = Arc::new(FaultStore::new(memory.clone()));
    let queries = Arc::new(Mutex::new(Vec::new()));
    let noted = queries.clone();
    store.alter(move |passing| {
        if let Passing::Counters(query, _) = passing {
            noted.lock().unwrap().push(query.clone());
        }
    });
    let engine = telling(store, &clock).start().await.unwrap();
    let world = World {
        store: memory,
        engine,
    };
    let told = Told { world, clock };
    let (_, addr) = receiver(false, &[500]).await;
    let (good, good_addr) = receiver(false, &[]).await;
    let orders = told.fragile("orders", addr).await;
    told.informed("ops", good_addr).await;
    told.poweron().await;
    heard(&good, 2).await;
    queries.lock().unwrap().clear();
    told.clock.advance(HOUR);
    let looks = || {
        let queries = queries.lock().unwrap();
        let of_orders = queries
            .iter()
            .filter(|query| query.webhooks == Some(vec![orders]));
        of_orders.map(|query| query.from).collect::<Vec<_>>()
    };
    until(|| !looks().is_empty()).await;
    assert!(looks().iter().all(|from| *from == noon()), "{:?}", looks());
}

#[tokio::test]
async fn one_system_users_receive_only_own_webhook_reports() {
    let told = Told::start().await;
    let (_, addr) = receiver(false, &[500; 10]).await;
    let (own, own_addr) = receiver(false, &[]).await;
    let (other, other_addr) = receiver(false, &[]).await;
    told.fragile("orders", addr).await;
    told.informed("ops", own_addr).await;
    let spy = told
        .world
        .webhook("spy", other_addr, |w| w.owner = OwnerId(2))
        .await;
    for event in ["failing", "exhausted"] {
        told.on("webhooks", event, spy, "${NAME}").await;
    }
    told.poweron().await;
    heard(&own, 2).await;
    assert_eq!(told.told_to(spy).await, [""; 0]);
    assert!(other.bodies().is_empty());
}

#[tokio::test]
async fn addressed_platform_occurrence_is_refused_in_one_system() {
    let told = Told::start().await;
    let mut addressed = poweron(1, &[1]);
    addressed.audience = Audience::Owner(OwnerId(1));
    let engine: &Engine = &told.world.engine;
    assert!(engine.emit(addressed).await.is_err());
}

#[tokio::test]
async fn operational_events_are_absent_without_the_option() {
    let world = crate::support::world().await;
    assert!(
        world
            .engine
            .catalog()
            .types()
            .all(|(name, ..)| name.as_str() != "webhooks")
    );
    let taken = builder(Arc::new(MemoryStore::new()))
        .catalog(told_catalog().await)
        .operational_events(OperationalEvents::all());
    assert!(matches!(taken.start().await, Err(StartError::TypeTaken(_))));
}

async fn told_catalog() -> webhook_model::Catalog {
    Told::start().await.world.engine.catalog().clone()
}
