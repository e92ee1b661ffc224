//! The weight of the pages, also with 10,000 rows in every table; how long the server takes then is
//! printed. How often the list of webhooks asks the store: `it`, `console::calls`.

use std::sync::Arc;
use std::time::Duration;

use apikey_core::KeyDraft;
use examples::platform::Platform;
use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::webhooks::{DeliveryId, NewDelivery, QueueStore as _};
use gatepost_storage::{Clock as _, SystemClock};
use gatepost_testkit::fixtures::direct;
use tests::browser::{Page, Site, Visitor, gzipped};
use tokio::time::Instant;
use webhook_model::{
    Action, Activity, Event, Message, ObjectId, OwnerId, Target, Task, TaskId, Webhook, WebhookId,
};

use crate::own_process::is_own_process;

/// Rows in every table; nine of ten belong to one user, the rest to another.
const ROWS: i64 = 10_000;
const PAGES: [&str; 15] = [
    "/console/",
    "/console/keys",
    "/console/keys/new",
    "/console/webhooks",
    "/console/webhooks/new",
    "/console/webhooks/1",
    "/console/tasks",
    "/console/tasks/new",
    "/console/events",
    "/console/events/new?type=vms",
    "/console/deliveries",
    "/console/deliveries?state=error",
    "/console/deliveries?webhook=1",
    "/console/deliveries/1",
    "/console/changes",
];

/// A page and all that it loads: its style and its script.
async fn weight(visitor: &Visitor, page: &Page) -> (usize, usize) {
    let mut sizes = (page.html.len(), gzipped(&page.html));
    for part in page.html.split("/console/assets/").skip(1) {
        let path = format!("/console/assets/{}", part.split('"').next().unwrap());
        let asset = visitor.get(&path).await;
        assert_eq!(asset.status, 200, "{path}");
        sizes = (sizes.0 + asset.html.len(), sizes.1 + gzipped(&asset.html));
    }
    sizes
}

#[tokio::test(flavor = "multi_thread")]
async fn console_pages_weigh_under_60_kib_gzipped() {
    if !is_own_process(concat!(
        module_path!(),
        "::console_pages_weigh_under_60_kib_gzipped"
    )) {
        return;
    }
    let site = Site::start().await;
    let admin = Visitor::login(&site, "admin").await;
    for path in PAGES.iter().filter(|path| !path.contains('1')) {
        let page = admin.get(path).await;
        let (plain, gzipped) = weight(&admin, &page).await;
        println!("{path}: {plain} bytes, {gzipped} gzipped");
        assert!(gzipped < 60 * 1024, "{path}: {gzipped}");
        assert!(
            page.html.matches("<script").count() == 1
                && page.html.matches("rel=\"stylesheet\"").count() == 1
        );
    }
}

/// 10,000 of each, all of user 3 but for one in ten, which are user 4's; the deliveries are all of
/// the first webhook's.
async fn fill(site: &Site, store: &SqliteStore) {
    let now = SystemClock.now();
    let owner = |at: i64| if at % 10 == 0 { 4 } else { 3 };
    let mut webhooks = Vec::new();
    for at in 1..=ROWS {
        let draft = KeyDraft::new(OwnerId(owner(at)), format!("key {at}").parse().unwrap());
        let (keys, engine, admin) = (site.keys.clone(), site.engine.clone(), site.user(1));
        webhooks.push(tokio::spawn(async move {
            drop(keys.create(&admin, draft).await.unwrap());
            let mut webhook = Webhook::new(
                OwnerId(owner(at)),
                format!("webhook {at}").parse().unwrap(),
                "https://example.com/".parse().unwrap(),
            );
            webhook.activity = Activity::Paused;
            let webhook = engine.create_webhook(&webhook).await.unwrap().id;
            let task = Task {
                creator: OwnerId(owner(at)),
                name: format!("task {at}").parse().unwrap(),
                description: "what it is for".parse().unwrap(),
                enabled: true,
                delete_after_run: false,
                action: Action::Send {
                    webhook,
                    message: Message::default(),
                },
            };
            let task: TaskId = engine.create_task(&task).await.unwrap().id;
            let event = Event::new(
                "vms".parse().unwrap(),
                "poweron".parse().unwrap(),
                Target::Instance(ObjectId::from_number(1 + at % 3)),
                task,
            );
            engine.create_event(&event).await.unwrap();
        }));
    }
    for made in webhooks {
        made.await.unwrap();
    }
    for some in 0..ROWS / 500 {
        let deliveries = (0..500).map(|at| NewDelivery {
            message_id: format!("msg_{}", some * 500 + at).parse().unwrap(),
            webhook: WebhookId(1),
            task: None,
            cause: None,
            body: "{\"text\":\"Webhook\"}".into(),
            due: now,
            lease_until: None,
        });
        let batch = direct(deliveries.collect());
        store.enqueue(batch, now).await.unwrap();
    }
    let half: Vec<_> = (1..=ROWS)
        .filter(|at| at % 2 == 0)
        .map(DeliveryId)
        .collect();
    for some in half.chunks(500) {
        site.engine.cancel(some).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_with_10000_rows_weigh_under_60_kib() {
    if !is_own_process(concat!(
        module_path!(),
        "::pages_with_10000_rows_weigh_under_60_kib"
    )) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(
        SqliteStore::open(SqliteConfig::file(folder.path().join("g.db")))
            .await
            .unwrap(),
    );
    let site = Site::start_on(
        store.clone(),
        store.clone(),
        Arc::new(SystemClock),
        Arc::new(Platform::default()),
    )
    .await;
    fill(&site, &store).await;
    for user in ["admin", "tina", "ulf"] {
        let visitor = Visitor::login(&site, user).await;
        for path in PAGES {
            let first = visitor.get(path).await;
            // Which user has the first webhook depends on the order in which they were made.
            if first.status == 404 && path.contains('1') {
                continue;
            }
            assert_eq!(first.status, 200, "{user} {path}");
            let mut took: Vec<Duration> = Vec::new();
            for _ in 0..11 {
                let start = Instant::now();
                visitor.get(path).await;
                took.push(start.elapsed());
            }
            took.sort();
            let (plain, gzipped) = weight(&visitor, &first).await;
            println!(
                "{user} {path}: median {:.1} ms, {plain} bytes, {gzipped} gzipped",
                took[5].as_secs_f64() * 1000.0
            );
            assert!(gzipped < 60 * 1024, "{user} {path}: {gzipped}");
        }
    }
}
