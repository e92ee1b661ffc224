//! PostgreSQL: dumped while an engine works, restored into another database.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gatepost_storage::webhooks::{Delivery, DeliveryQuery, DeliveryState};
use gatepost_storage::{AtMost, Clock as _, Page, SystemClock};
use gatepost_testkit::fields::full_webhook;
use gatepost_testkit::fixtures::{direct, full_event, full_task, message};
use tests::chaos::Counting;

use super::*;

async fn deliveries(store: &dyn WebhookStore) -> BTreeMap<String, Delivery> {
    let mut found = BTreeMap::new();
    let mut page = Page::first(1_000);
    loop {
        let query = DeliveryQuery::all(page);
        let rows = store.list_deliveries(&query).await.unwrap();
        let Some(last) = rows.last() else {
            return found;
        };
        page = page.beyond(last.id);
        found.extend(rows.into_iter().map(|d| (d.message_id.to_string(), d)));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dump_of_running_engine_restores_and_continues() {
    let receiver = Counting::start().await;
    let from = fresh();
    let place = Place::Postgres(from.clone());
    let store = place.open().await;
    let (now, limit) = (SystemClock.now(), AtMost::UNLIMITED);
    let webhooks = store.webhooks();

    // Every kind of record, with every field.
    let keys = service(&store);
    let (key, header) = make_key(&keys, "k").await;
    let mut full = full_webhook();
    full.activity = webhook_model::Activity::Paused;
    let full = webhooks.insert_webhook(&full, limit, now).await.unwrap();
    let made = full_task(full.id);
    let made = webhooks.insert_task(&made, limit, now).await.unwrap();
    let heard = full_event(made.id);
    let heard = webhooks.insert_event(&heard, limit, now).await.unwrap();

    let hook = webhook("w", &format!("http://{}/", receiver.addr));
    let hook = webhooks.insert_webhook(&hook, limit, now).await.unwrap().id;
    let working = engine(webhooks.clone()).await;
    let stop = Arc::new(AtomicBool::new(false));
    let (stopped, writes) = (stop.clone(), webhooks.clone());
    let writer = tokio::spawn(async move {
        let mut n = 0;
        while !stopped.load(Ordering::Relaxed) {
            let now = SystemClock.now();
            let batch = (n..n + 10).map(|n| message(hook, &format!("msg_{n}"), now));
            writes.enqueue(direct(batch.collect()), now).await.unwrap();
            n += 10;
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        n
    });
    while receiver.seen().len() < 100 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let dump = tokio::task::spawn_blocking(move || dumps::dump(&from));
    let dump = dump.await.unwrap();
    stop.store(true, Ordering::Relaxed);
    let written = writer.await.unwrap();
    working.shutdown(Duration::from_secs(60)).await;
    let original = deliveries(&*webhooks).await;
    keys.shutdown().await;
    store.close().await;
    let before = receiver.seen().len();

    let Place::Postgres(FreshSchema { url, schema }) = &place else {
        panic!("the place is a schema");
    };
    let url = dumps::new_database(url, &format!("restored_{schema}"));
    dumps::restore(&url, &dump);
    let schema = schema.clone();
    let store = Place::Postgres(FreshSchema { url, schema }).open().await;
    store.keys().restored(SystemClock.now()).await.unwrap();
    let webhooks = store.webhooks();
    assert_eq!(
        webhooks.webhook(full.id).await.unwrap().unwrap().value,
        full.value
    );
    assert_eq!(
        webhooks.task(made.id).await.unwrap().unwrap().value,
        made.value
    );
    assert_eq!(
        webhooks.event(heard.id).await.unwrap().unwrap().value,
        heard.value
    );
    let keys = service(&store);
    assert_eq!(admitted(&keys, &header).await, Some(key.id));

    // One moment: of a batch all of it, of single deliveries every one that was committed before.
    let restored = deliveries(&*webhooks).await;
    assert!(restored.len() >= 100 && restored.len() <= written);
    assert_eq!(restored.len() % 10, 0, "no batch is there by half");
    for (id, delivery) in &restored {
        let known = &original[id];
        assert_eq!((delivery.id, &delivery.body), (known.id, &known.body));
    }
    let engine = engine(webhooks.clone()).await;
    let late = message(hook, "msg_late", SystemClock.now());
    let stored = webhooks.enqueue(direct(vec![late]), SystemClock.now());
    stored.await.unwrap();
    // A delivery that ran at the time of the dump is taken back when its lease ends: the test does
    // not wait for that.
    let waits = |d: &Delivery| d.state == DeliveryState::Queued && d.webhook == hook;
    while deliveries(&*webhooks).await.values().any(waits) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    engine.shutdown(Duration::from_secs(60)).await;
    let seen: HashSet<String> = receiver.seen().into_iter().map(|seen| seen.id).collect();
    for (id, delivery) in deliveries(&*webhooks).await {
        match delivery.state {
            DeliveryState::Sent => assert!(seen.contains(&id), "{id} was not sent"),
            state => assert_eq!(state, DeliveryState::Running, "{id}"),
        }
        let is_new = !original.contains_key(&id);
        let last = original.values().map(|d| d.id).max();
        assert!(!is_new || Some(delivery.id) > last, "{id} has a new number");
    }
    assert!(receiver.seen().len() > before);
    keys.shutdown().await;
    store.close().await;
}
