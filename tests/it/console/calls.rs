//! The number of calls to the store and to the platform for names: a full page makes as many as a
//! short one.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use examples::receiver::Receiver;
use gatepost_keys::Principal;
use gatepost_kv::MemoryStore;
use gatepost_manage::{Choice, Directory};
use gatepost_storage::webhooks::{DeliveryLog as _, HourlyCount};
use gatepost_testkit::fault::FaultStore;
use tests::browser::form_input::{new_task, new_webhook};
use tests::browser::{Setup, Site, Visitor};
use webhook_model::{Action, Activity, Event, Message, ObjectId, OwnerId, Target, Task, Webhook};

/// The calls that pages make, and that the running engine does not make.
const CALLS: [&str; 14] = [
    "webhook",
    "webhooks",
    "list_webhooks",
    "task",
    "list_tasks",
    "record_heads",
    "event",
    "list_events",
    "tasks",
    "unreadable",
    "delivery",
    "attempts",
    "list_deliveries",
    "counters",
];
const PAGES: [&str; 7] = [
    "/console/",
    "/console/webhooks",
    "/console/webhooks/1",
    "/console/tasks",
    "/console/tasks/new",
    "/console/events",
    "/console/deliveries",
];

struct World {
    store: Arc<FaultStore<MemoryStore>>,
    memory: Arc<MemoryStore>,
    site: Site,
}

impl World {
    async fn start() -> Self {
        let memory = Arc::new(MemoryStore::new());
        let store = Arc::new(FaultStore::new(memory.clone()));
        let site = Setup::on(&store).start().await;
        Self {
            store,
            memory,
            site,
        }
    }

    /// Creates rows of user 3: paused webhooks, each with a task, an event, a delivery and a count.
    async fn fill(&self, rows: std::ops::Range<u64>) {
        let now = gatepost_storage::Clock::now(&gatepost_storage::SystemClock);
        for row in rows {
            let name = format!("w{row}").parse().unwrap();
            let url = "https://example.com/".parse().unwrap();
            let mut webhook = Webhook::new(OwnerId(3), name, url);
            webhook.activity = Activity::Paused;
            let webhook = self.site.engine.create_webhook(&webhook).await.unwrap().id;
            let task = Task::new(
                OwnerId(3),
                format!("t{row}").parse().unwrap(),
                Action::Send {
                    webhook,
                    message: Message::default(),
                },
            );
            let task = self.site.engine.create_task(&task).await.unwrap().id;
            let event = Event::new(
                "vms".parse().unwrap(),
                "poweron".parse().unwrap(),
                Target::Instance(ObjectId::from(1)),
                task,
            );
            self.site.engine.create_event(&event).await.unwrap();
            self.site.engine.send(webhook, None).await.unwrap();
            let count = HourlyCount {
                sent: 1_000 + row,
                ..HourlyCount::none(webhook, now)
            };
            self.memory.add_counts(&[count]).await.unwrap();
        }
    }

    /// Returns the number of store calls of each page.
    async fn calls(&self, visitor: &Visitor) -> Vec<u64> {
        let mut all = Vec::new();
        for path in PAGES {
            let count = || CALLS.iter().map(|call| self.store.calls_of(call)).sum();
            let before: u64 = count();
            let page = visitor.get(path).await;
            assert_eq!(page.status, 200, "{path}");
            all.push(count() - before);
        }
        all
    }
}

#[tokio::test]
async fn page_store_calls_are_independent_of_row_count() {
    let world = World::start().await;
    let ulf = Visitor::login(&world.site, "ulf").await;
    world.fill(0..5).await;
    let few = world.calls(&ulf).await;
    world.fill(5..50).await;
    let full = world.calls(&ulf).await;
    for ((path, few), full) in PAGES.iter().zip(few).zip(full) {
        assert_eq!(full, few, "{path}");
    }
    // A user's records are not all read to find that none is unreadable.
    assert_eq!(world.store.calls_of("unreadable"), 0);
    let page = ulf.get("/console/webhooks").await;
    assert!(page.has("1,000 sent") && page.has("1,049 sent"));
}

/// The rows of the page and the newer ones are read in one call.
#[tokio::test]
async fn live_list_reads_page_and_newer_rows_together() {
    let world = World::start().await;
    let ulf = Visitor::login(&world.site, "ulf").await;
    world.fill(0..55).await;
    let (one, many) = ("delivery", "list_deliveries");
    let before = [one, many].map(|call| world.store.calls_of(call));
    let page = ulf.get("/console/deliveries/live?top=52").await;
    let after = [one, many].map(|call| world.store.calls_of(call));
    assert_eq!(page.html.matches("<tr id=").count(), 50);
    page.shows("Show 3 newer deliveries");
    assert_eq!([after[0] - before[0], after[1] - before[1]], [0, 2]);
    // On a later page newer rows do not matter, and the total is counted separately.
    let page = ulf.get("/console/deliveries/live?after=3").await;
    assert_eq!(page.html.matches("<tr id=").count(), 2);
    assert_eq!(world.store.calls_of(many) - after[1], 2);
    // If there were more rows than are counted, they are not counted again every few seconds,
    // unless attempts change which rows match.
    let before = world.store.calls_of(many);
    let page = ulf.get("/console/deliveries/live?after=3&more=1").await;
    page.shows("2,000+ deliveries");
    assert_eq!(world.store.calls_of(many) - before, 1);
    let live = "/console/deliveries/live?state=queued&after=3&more=1";
    let page = ulf.get(live).await;
    page.shows("55 matching deliveries");
    assert_eq!(world.store.calls_of(many) - before, 3);
}

/// A platform that counts the requests for names.
#[derive(Debug, Default)]
struct Counting(AtomicUsize);

#[async_trait]
impl Directory for Counting {
    async fn name(&self, _caller: &Principal, table: &str, key: ObjectId) -> Option<String> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Some(format!("{table} number {key}"))
    }

    async fn names(
        &self,
        _: &Principal,
        table: &str,
        keys: &[ObjectId],
    ) -> BTreeMap<ObjectId, String> {
        self.0.fetch_add(1, Ordering::Relaxed);
        let named = keys
            .iter()
            .map(|key| (*key, format!("{table} number {key}")));
        named.collect()
    }

    async fn choices(&self, _: &Principal, _table: &str, _limit: usize) -> Vec<Choice> {
        Vec::new()
    }
}

#[tokio::test]
async fn full_page_requests_all_names_from_platform_once() {
    let platform = Arc::new(Counting::default());
    let site = Site::start_with(platform.clone()).await;
    let admin = Visitor::login(&site, "admin").await;
    for owner in ["2", "3", "4"] {
        let fields = [("name", "ci"), ("user", owner), ("expires_type", "never")];
        let page = admin.submit("/console/keys/new", &fields).await;
        assert!(page.secret().is_some(), "{}", page.html);
    }
    let receiver = Receiver::start(None).await.unwrap();
    new_webhook(&admin, &receiver, "0").await;
    new_task(&admin, "{}", &[]).await;
    for (target, field, number) in [
        ("instance", "instance", "1"),
        ("instance", "instance", "2"),
        ("tag", "tag", "1"),
        ("tag", "tag", "2"),
    ] {
        let new = "/console/events/new";
        let event = [
            ("event", "poweron"),
            ("target", target),
            (field, number),
            ("task", "1"),
        ];
        let page = admin.fill(&format!("{new}?type=vms"), new, &event).await;
        page.expect(303);
    }
    let asked = async |path: &str| {
        let before = platform.0.load(Ordering::Relaxed);
        let page = admin.get(path).await;
        (page, platform.0.load(Ordering::Relaxed) - before)
    };
    let (keys, questions) = asked("/console/keys").await;
    assert!(keys.has("users number 2") && keys.has("users number 4"));
    assert_eq!(questions, 1, "three owners");
    let (events, questions) = asked("/console/events").await;
    assert!(events.has("vms number 2") && events.has("tag tags number 1"));
    assert_eq!(questions, 2, "of machines and of tags");
}
