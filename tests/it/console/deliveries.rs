//! The pages of deliveries, and the tasks, events and deliveries of other users (SPEC 6), without a
//! browser.

use std::sync::Arc;

use axum::http::StatusCode;
use chrono::TimeDelta;
use examples::receiver::Receiver;
use gatepost_keys::TenantId;
use gatepost_kv::MemoryStore;
use gatepost_storage::webhooks::{DeliveryId, NewDelivery, QueueStore as _, RecordStore as _};
use gatepost_storage::{Clock as _, SystemClock};
use gatepost_testkit::fixtures::{UNLIMITED, direct, message};
use tests::browser::form_input::{
    ON_MACHINE, ON_TAG, hook, new_event, new_task, new_webhook, visited_with_webhook,
};
use tests::browser::{Setup, Site, Visitor, text};
use webhook_model::{
    Audience, DeliveryOrder, Object, ObjectId, Occurrence, OwnerId, TraceParent, WebhookId,
};

const TASK: &str = "/console/tasks/new";

#[tokio::test]
async fn failed_deliveries_are_looked_into_cancelled_and_replayed() {
    let (site, ulf, receiver) = visited_with_webhook("ulf", "1").await;
    new_task(&ulf, "x", &[]).await;
    receiver.answer_with(&[StatusCode::BAD_GATEWAY, StatusCode::IM_A_TEAPOT]);
    let act = async |path: &str| ulf.fill(TASK, path, &[]).await;
    act("/console/tasks/1/do/run").await;
    site.ended(1).await;
    let page = ulf.get("/console/deliveries/1").await;
    page.shows_all(["502", "418", ">Failed<", "Replay"]);
    assert!(ulf.get("/console/deliveries?state=error").await.has("#1"));
    for (class, listed) in [("status", true), ("timeout", false)] {
        let page = ulf.get(&format!("/console/deliveries?class={class}")).await;
        assert_eq!(
            page.has("href=\"/console/deliveries/1\""),
            listed,
            "{class}"
        );
    }
    ulf.get("/console/deliveries?state=sent")
        .await
        .shows("No matching deliveries");
    assert_eq!(act("/console/deliveries/1/cancel").await.status, 409);
    act("/console/deliveries/1/replay")
        .await
        .leads_to("/console/deliveries/1?done=replayed");
    receiver.wait_for("/in", 3).await.unwrap();
    site.ended(1).await;
    let live = ulf.get("/console/deliveries/live?top=1&x").await;
    live.shows("#1</span></a>");
    live.shows(">Delivered<");
    // A waiting delivery is cancelled.
    act("/console/webhooks/1/do/pause").await;
    act("/console/tasks/1/do/run").await;
    let page = ulf.get("/console/deliveries/2").await;
    assert!(page.has(">Held<") && page.has("Cancel") && !page.has("/replay\""));
    act("/console/deliveries/2/cancel")
        .await
        .leads_to("/console/deliveries/2?done=cancelled");
    assert!(ulf.get("/console/deliveries/2").await.has("cancelled"));
    // A cancelled delivery is counted immediately, one that ended by an attempt soon after that.
    let figure = |name: &str, count: &str| format!("<dd>{count}</dd><dt>{name}</dt>");
    let linked = |name: &str, state: &str| {
        format!("<a href=\"/console/deliveries?webhook=1&amp;state={state}\">{name}</a>")
    };
    let mut live = ulf.get("/console/webhooks/1/live").await;
    for _ in 0..400 {
        if live.has(&figure("Delivered", "1")) {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(25)).await;
        live = ulf.get("/console/webhooks/1/live").await;
    }
    let (failed, waiting) = (linked("Failed", "error"), linked("Waiting", "queued"));
    for (name, count) in [("Delivered", "1"), (&failed, "2"), (&waiting, "0")] {
        assert!(live.has(&figure(name, count)), "{name}: {}", live.html);
    }
    let page = ulf.get("/console/webhooks/1").await;
    page.shows("Total: 1 sent, 2 failed, ");
    assert!(ulf.get("/console/webhooks").await.has("1 sent, 2 failed"));
}

#[tokio::test]
async fn other_users_records_answer_like_missing_ones() {
    let site = Site::start().await;
    let (ulf, vera) = (
        Visitor::login(&site, "ulf").await,
        Visitor::login(&site, "vera").await,
    );
    let receiver = Receiver::start(None).await.unwrap();
    new_webhook(&ulf, &receiver, "0").await;
    new_task(&ulf, "x", &[]).await;
    new_event(&ulf, &ON_TAG).await;
    ulf.fill(TASK, "/console/tasks/1/do/run", &[]).await;
    site.ended(1).await;
    let before = site.heard();
    for path in [
        "tasks/1/edit",
        "tasks/1/delete",
        "events/1/edit",
        "events/1/delete",
        "deliveries/1",
        "deliveries/1/live",
    ] {
        let path = format!("/console/{path}");
        assert_eq!(vera.get(&path).await.status, 404, "{path}");
        assert_eq!(ulf.get(&path).await.status, 200, "{path}");
    }
    for path in [
        "tasks/1/edit",
        "tasks/1/delete",
        "tasks/1/do/run",
        "events/1/edit",
        "events/1/delete",
        "events/1/trigger",
        "deliveries/1/replay",
        "deliveries/1/cancel",
    ] {
        let path = format!("/console/{path}");
        assert_eq!(
            vera.fill(TASK, &path, &[("name", "x")]).await.status,
            404,
            "{path}"
        );
    }
    for path in ["tasks", "events", "deliveries"] {
        let page = vera.get(&format!("/console/{path}")).await;
        assert!(!page.has("tell") && !page.has("chat"), "{path}");
    }
    assert_eq!(vera.get("/console/deliveries?webhook=1").await.status, 404);
    // Another user's webhook cannot be used, and another user's task cannot be run.
    assert_eq!(
        new_task(&vera, "x", &[]).await.error("webhook"),
        "This webhook does not exist."
    );
    let page = new_event(&vera, &ON_TAG).await;
    assert_eq!(page.error("task"), "This task does not exist.");
    let live = vera.get("/console/live").await;
    assert_eq!(live.status, 200);
    live.hides("chat");
    live.hides(">Queue<");
    assert_eq!(site.heard(), before);
}

/// Starts a site on a store to which the test writes itself.
async fn on_memory() -> (Arc<MemoryStore>, Site) {
    let store = Arc::new(MemoryStore::new());
    let setup = Setup::on(&store);
    (store, setup.start().await)
}

fn later(id: &str) -> NewDelivery {
    let due = SystemClock.now() + TimeDelta::hours(1);
    message(WebhookId(1), id, due)
}

#[tokio::test]
async fn waiting_delivery_shows_reason_and_can_be_retried() {
    let (store, site) = on_memory().await;
    let ulf = Visitor::login(&site, "ulf").await;
    let receiver = Receiver::start(None).await.unwrap();
    new_webhook(&ulf, &receiver, "5").await;
    let now = SystemClock.now();
    store.enqueue(direct(vec![later("a")]), now).await.unwrap();
    let path = "/console/deliveries/1";
    let page = ulf.get(path).await;
    page.shows("first attempt <time");
    assert!(page.has("in 59 minutes") && page.has("Retry now"));
    ulf.fill(TASK, "/console/webhooks/1/do/pause", &[]).await;
    let page = ulf.get(path).await;
    page.shows("held: webhook is paused");
    assert!(!page.has("attempt <time"), "nothing is sent then");
    let list = ulf.get("/console/deliveries").await;
    list.shows("held: webhook is paused");
    ulf.fill(TASK, "/console/webhooks/1/do/resume", &[]).await;
    // Another user's delivery does not exist; the operation is in the audit log.
    let vera = Visitor::login(&site, "vera").await;
    let retry = "/console/deliveries/1/retry";
    assert_eq!(vera.fill(TASK, retry, &[]).await.status, 404);
    let done = ulf.fill(TASK, retry, &[]).await;
    done.leads_to("/console/deliveries/1?done=retried");
    receiver.wait_for("/in", 1).await.unwrap();
    site.ended(1).await;
    assert!(site.heard().contains(&"3 Retry webhooks/1".to_owned()));
    let again = ulf.fill(TASK, retry, &[]).await;
    assert_eq!(again.status, 409, "it has ended");
}

#[tokio::test]
async fn delivery_waiting_in_order_names_its_predecessor() {
    let (store, site) = on_memory().await;
    let ulf = Visitor::login(&site, "ulf").await;
    let receiver = Receiver::start(None).await.unwrap();
    new_webhook(&ulf, &receiver, "5").await;
    let mut row = store.webhook(WebhookId(1)).await.unwrap().unwrap();
    row.value.order = DeliveryOrder::InOrder;
    let now = SystemClock.now();
    store.update_webhook(&row, UNLIMITED, now).await.unwrap();
    let two = direct(vec![later("first"), later("second")]);
    store.enqueue(two, now).await.unwrap();
    assert!(!ulf.get("/console/deliveries/1").await.has("in order"));
    let page = ulf.get("/console/deliveries/2").await;
    page.shows("in order, behind #1");
}

#[tokio::test]
async fn delivery_page_shows_cause_and_sent_request() {
    let (site, ulf) = Site::visited_by("ulf").await;
    let receiver = Receiver::start(None).await.unwrap();
    let url = format!("http://{}/in", receiver.addr);
    let token = [("auth", "bearer"), ("token", "s3cret-token")];
    ulf.submit("/console/webhooks/new", &hook(&url, &token))
        .await
        .expect(303);
    new_task(&ulf, r#"{"b":[1,{}],"a":"it's ${NAME}"}"#, &[]).await;
    new_event(&ulf, &ON_MACHINE).await.expect(303);
    let occurrence = Occurrence::new(
        "vms".parse().unwrap(),
        "poweron".parse().unwrap(),
        Audience::Tenant(TenantId(1)),
    )
    .with_id("order-4711".parse().unwrap())
    .with_object(Object::new(ObjectId::from(1), "web-1"));
    let trace = TraceParent::new(0x4bf9_2f35, 7, true).unwrap();
    let occurrence = occurrence.traced(trace);
    site.engine.emit(occurrence).await.unwrap();
    site.ended(1).await;
    let page = ulf.get("/console/deliveries/1").await;
    for shown in [
        "web-1 (#1)",
        "order-4711",
        "<dt>Trace ID</dt><dd><code>0000000000000000000000004bf92f35</code></dd>",
        "traceparent: 00-0000000000000000000000004bf92f35-",
        "tell",
        "Authorization: (hidden)",
        "POST http://",
        "&lt;credential&gt;",
        "--data-raw",
        "it'\\''s web-1",
        "\n  &quot;b&quot;: [",
    ] {
        let found = page.has(shown) || text(&page.html).contains(&text(shown));
        assert!(found, "{shown}: {}", page.html);
    }
    assert!(!page.has("s3cret-token"));
    let list = ulf.get("/console/deliveries").await;
    list.shows("web-1 (#1)");
    list.shows("order-4711");
    // A manual run shows the user who made it.
    ulf.fill(TASK, "/console/tasks/1/do/run", &[]).await;
    site.ended(2).await;
    let page = ulf.get("/console/deliveries/2").await;
    page.shows("Run by");
    page.hides("Trace ID");
    let by = site.engine.delivery(DeliveryId(2)).await.unwrap().unwrap();
    assert_eq!(by.cause.unwrap().by, Some(OwnerId(3)));
}

#[tokio::test]
async fn delivery_filters_persist_in_address_and_match_rows() {
    let (site, ulf, receiver) = visited_with_webhook("ulf", "0").await;
    new_task(&ulf, "x", &[]).await;
    receiver.answer_with(&[StatusCode::BAD_GATEWAY, StatusCode::ACCEPTED]);
    for id in [1, 2] {
        ulf.fill(TASK, "/console/tasks/1/do/run", &[]).await;
        site.ended(id).await;
    }
    let second = site.engine.delivery(DeliveryId(2)).await.unwrap().unwrap();
    let id = second.message_id.as_str();
    let beginning = format!("id={}", &id[..30]);
    let whole = format!("id={id}");
    for (query, listed) in [
        ("status=502", vec![1]),
        ("status=202", vec![2]),
        ("status=404", vec![]),
        ("task=1", vec![1, 2]),
        ("task=1&webhook=1&state=sent", vec![2]),
        ("state=error&class=status", vec![1]),
        ("state=sent&class=status", vec![]),
        (&whole, vec![2]),
        (&beginning, vec![2]),
        ("id=order-", vec![]),
        ("from=2000-01-01T00:00&before=2000-01-02T00:00", vec![]),
        ("from=2000-01-01T00:00", vec![1, 2]),
    ] {
        let page = ulf.get(&format!("/console/deliveries?{query}")).await;
        for row in [1, 2] {
            let link = format!("href=\"/console/deliveries/{row}\"");
            assert_eq!(page.has(&link), listed.contains(&row), "{query}: #{row}");
        }
        assert_eq!(
            page.has("No matching deliveries"),
            listed.is_empty(),
            "{query}"
        );
    }
    let page = ulf.get("/console/deliveries?status=502&state=error").await;
    assert!(page.has("value=\"502\"") && page.has("name=\"state\" value=\"error\""));
}

#[tokio::test]
async fn filter_without_matches_reads_at_most_5000_rows() {
    let (store, site) = on_memory().await;
    let ulf = Visitor::login(&site, "ulf").await;
    let receiver = Receiver::start(None).await.unwrap();
    new_webhook(&ulf, &receiver, "0").await;
    for some in 0..7 {
        let many = (0..800).map(|at| later(&format!("m{some}-{at}")));
        let batch = direct(many.collect());
        store.enqueue(batch, SystemClock.now()).await.unwrap();
    }
    let page = ulf.get("/console/deliveries?status=599").await;
    page.shows("No matches yet");
    let next = page
        .html
        .split("href=\"")
        .find(|part| part.contains("after="));
    let next = text(next.unwrap().split('"').next().unwrap());
    let page = ulf.get(&next).await;
    page.shows("No matching deliveries");
    let page = ulf.get("/console/deliveries?id=m0-10").await;
    assert!(page.has("No matches yet"), "they are the oldest");
}

#[tokio::test]
async fn a_replay_says_how_many_before_and_after() {
    let (site, ulf, receiver) = visited_with_webhook("ulf", "0").await;
    new_task(&ulf, "x", &[]).await;
    let replay = "/console/deliveries/replay?webhook=1";
    let none = ulf.get(replay).await;
    none.shows("Nothing to replay");
    assert!(!none.has("Replay 0"));
    receiver.answer_with(&[
        StatusCode::BAD_GATEWAY,
        StatusCode::NOT_FOUND,
        StatusCode::OK,
    ]);
    for id in [1, 2, 3] {
        ulf.fill(TASK, "/console/tasks/1/do/run", &[]).await;
        site.ended(id).await;
    }
    let page = ulf.get(replay).await;
    page.shows("Replay 2 deliveries");
    let all = ulf.get(&format!("{replay}&state=")).await;
    all.shows("Replay 3 deliveries");
    let timeouts = ulf.get(&format!("{replay}&class=timeout")).await;
    assert!(timeouts.has("Nothing to replay"));
    let long_ago = format!("{replay}&from=2000-01-01T00:00&before=2000-01-02T00:00");
    assert!(ulf.get(&long_ago).await.has("Nothing to replay"));
    // The form contains the count of the page.
    let fields = page.hidden();
    let fields: Vec<_> = fields
        .iter()
        .map(|(n, v)| (n.as_str(), v.as_str()))
        .collect();
    let done = ulf.post("/console/deliveries/replay", &fields).await;
    assert!(done.to().ends_with("&done=2"), "{}", done.to());
    receiver.wait_for("/in", 5).await.unwrap();
    site.ended(1).await;
    site.ended(2).await;
    // A confirmation is shown once, to the browser that has its cookie.
    let mut led = Visitor::login(&site, "ulf").await;
    led.cookie.push_str("; gatepost_done=2");
    let page = led.get(done.to()).await;
    page.shows("2 deliveries were queued again.");
    assert!(page.has("Nothing to replay"), "they were sent");
    assert!(site.heard().contains(&"3 Replay webhook_urls/1".to_owned()));
    // All parts of the page agree about its attempts.
    let page = ulf.get("/console/deliveries/1").await;
    page.shows("2 in total, 1 since the last replay");
    let vera = Visitor::login(&site, "vera").await;
    assert_eq!(vera.get(replay).await.status, 404);
    vera.post("/console/deliveries/replay", &fields)
        .await
        .expect(403);
}

#[tokio::test]
async fn a_delivery_is_cancelled_after_a_question() {
    let (store, site) = on_memory().await;
    let ulf = Visitor::login(&site, "ulf").await;
    let receiver = Receiver::start(None).await.unwrap();
    new_webhook(&ulf, &receiver, "0").await;
    let batch = direct(vec![later("a")]);
    store.enqueue(batch, SystemClock.now()).await.unwrap();
    let cancel = "/console/deliveries/1/cancel";
    let page = ulf.get("/console/deliveries/1").await;
    page.shows(&format!("href=\"{cancel}\""));
    let question = ulf.get(cancel).await;
    assert!(question.has("Cancel delivery #1?") && question.has("will not be sent"));
    let done = ulf.submit(cancel, &[]).await;
    done.leads_to("/console/deliveries/1?done=cancelled");
    let gone = ulf.get(cancel).await;
    assert_eq!(
        gone.to(),
        "/console/deliveries/1",
        "there is nothing to ask"
    );
}
