//! A text search of deliveries within a budget: the page says which part was not searched, and the
//! next page searches it.

use std::sync::Arc;

use axum::http::StatusCode;
use chrono::TimeDelta;
use examples::receiver::Receiver;
use gatepost_kv::MemoryStore;
use gatepost_storage::seal::{SealingKey, SealingKeys};
use gatepost_storage::webhooks::{DeliveryId, NewDelivery, QueueStore as _};
use gatepost_storage::{Clock as _, SealedMessages, SystemClock};
use gatepost_testkit::fixtures::{direct, message};
use tests::browser::form_input::{ON_MACHINE, new_event, new_task, new_webhook};
use tests::browser::{Setup, Visitor, text};
use tests::world::poweron;
use webhook_model::{Object, ObjectId, WebhookId};

const LIST: &str = "/console/deliveries";

/// Returns the link to a delivery in a list.
fn row(id: i64) -> String {
    format!("href=\"{LIST}/{id}\"")
}

/// Returns the address that continues a search.
fn further(html: &str) -> String {
    let further = html.split("rel=\"next\" href=\"").nth(1);
    text(further.unwrap().split('"').next().unwrap())
}

#[tokio::test]
async fn text_search_covers_message_ids_and_result_only() {
    let memory = Arc::new(MemoryStore::new());
    let keys = SealingKeys::new(SealingKey::new(1, [7; 32]));
    let store = SealedMessages::new(memory, keys);
    let setup = Setup {
        webhook_store: Arc::new(store),
        ..Setup::new()
    };
    let site = setup.start().await;
    let ulf = Visitor::login(&site, "ulf").await;
    let receiver = Receiver::start(None).await.unwrap();
    new_webhook(&ulf, &receiver, "0").await;
    new_task(&ulf, "Größe von ${NAME}: 50% & <mehr>", &[]).await;
    assert_eq!(new_event(&ulf, &ON_MACHINE).await.status, 303);
    receiver.answer_with(&[StatusCode::IM_A_TEAPOT, StatusCode::OK]);
    for (at, name) in [(1, "web-1"), (2, "db-2")] {
        let occurrence = poweron(1, &[])
            .with_id(format!("order-{at}").parse().unwrap())
            .with_object(Object::new(ObjectId::from(1), name));
        site.engine.emit(occurrence).await.unwrap();
        site.ended(at).await;
    }
    let second = site.engine.delivery(DeliveryId(2)).await.unwrap().unwrap();
    let in_id = &second.message_id.as_str()[9..];
    for (words, listed) in [
        ("web-1", vec![1]),
        ("gRÖSSE von DB", vec![]),
        ("gRÖßE von DB", vec![2]),
        ("50% & <MEHR>", vec![1, 2]),
        ("50%25", vec![]),
        (".*", vec![]),
        ("DER-1", vec![1]),
        (in_id, vec![2]),
        ("Status 418", vec![1]),
        // The names of webhook and task are not searched.
        ("tell", vec![]),
        ("   ", vec![1, 2]),
    ] {
        let address = url::Url::parse_with_params("http://x/", [("q", words)]).unwrap();
        let query = address.query().unwrap();
        let page = ulf.get(&format!("{LIST}?{query}")).await;
        for id in [1, 2] {
            let is_listed = listed.contains(&id);
            assert_eq!(page.has(&row(id)), is_listed, "{words}: #{id}");
        }
        let none = page.has("No matching deliveries");
        assert_eq!(none, listed.is_empty(), "{words}");
        let is_live = page.has("data-live=\"/console/deliveries/live?");
        assert_eq!(is_live, words.trim().is_empty(), "{words}");
    }
    let both = ulf.get(&format!("{LIST}?q=50%25&state=sent&task=1")).await;
    both.shows(&row(2));
    both.hides(&row(1));
    assert!(both.has("value=\"50%\"") && both.has(">Clear<"));
    // No user finds a delivery of another user.
    for (who, finds) in [("vera", false), ("tina", true), ("admin", true)] {
        let other = Visitor::login(&site, who).await;
        let page = other.get(&format!("{LIST}?q=web-1")).await;
        assert_eq!(page.has(&row(1)), finds, "{who}");
        assert_eq!(page.has("No matching deliveries"), !finds, "{who}");
    }
}

fn waiting(id: &str, body: &Arc<str>) -> NewDelivery {
    let due = SystemClock.now() + TimeDelta::hours(1);
    let mut waiting = message(WebhookId(1), id, due);
    waiting.body = body.clone();
    waiting
}

#[tokio::test]
async fn text_search_stops_at_limit_and_resumes_there() {
    let store = Arc::new(MemoryStore::new());
    let site = Setup::on(&store).start().await;
    let ulf = Visitor::login(&site, "ulf").await;
    let receiver = Receiver::start(None).await.unwrap();
    new_webhook(&ulf, &receiver, "0").await;
    let now = SystemClock.now();
    let large: Arc<str> = "x".repeat(1 << 20).into();
    let hay = |part: u8| (0..40).map(move |at| format!("hay-{part}-{at}"));
    let mut all = vec![waiting("oldest", &"needle 1".into())];
    all.extend(hay(1).map(|id| waiting(&id, &large)));
    all.push(waiting("newest", &"needle 2".into()));
    all.extend(hay(2).map(|id| waiting(&id, &large)));
    for some in all.chunks(8) {
        let some = direct(some.to_vec());
        store.enqueue(some, now).await.unwrap();
    }
    let oldest = row(1);
    let newest = row(42);
    // Without a search text no message is read.
    assert!(ulf.get(&format!("{LIST}?id=oldest")).await.has(&oldest));
    let mut address = format!("{LIST}?q=NEEDLE");
    let mut pages = Vec::new();
    loop {
        let page = ulf.get(&address).await;
        let shown = (page.has(&newest), page.has(&oldest));
        pages.push((page.has("Searched back to"), shown));
        if !page.has(">Search further<") {
            page.shows(">First page<");
            break;
        }
        page.shows(">UTC, ");
        page.hides(">Next page<");
        let title = page.has("No matches yet");
        assert_eq!(title, shown == (false, false), "{}", page.html);
        assert!(pages.len() < 40, "it goes on");
        address = further(&page.html);
        assert!(address.contains("q=NEEDLE&after="), "{address}");
    }
    // 80 MiB of messages need at least three pages of a budget of 32 MiB.
    assert!(pages.len() >= 3, "{pages:?}");
    let found = |which: fn(&(bool, bool)) -> bool| pages.iter().filter(|(_, s)| which(s)).count();
    assert_eq!(found(|shown| shown.0), 1, "{pages:?}");
    assert_eq!(found(|shown| shown.1), 1, "{pages:?}");
    let (last, before) = pages.split_last().unwrap();
    assert!(before.iter().all(|(searched, _)| *searched), "{pages:?}");
    assert!(!last.0, "{pages:?}");
}
