//! Open pages follow changes: each part is replaced as a whole, all from one response, and never
//! while the user interacts with it.

use axum::http::StatusCode;
use examples::receiver::Receiver;
use gatepost_engine::Engine;
use serde_json::{Value, json};
use tests::browser::form_input::{new_task, new_webhook};
use tests::browser::{Browser, Look, Site, Visitor};
use webhook_model::WebhookId;

const WEBHOOK: WebhookId = WebhookId(1);
/// The times at which the page requested its live parts, in milliseconds.
const ASKED: &str = "return performance.getEntriesByType('resource').filter(e => /[/]live([?]|$)/.test(e.name)).map(e => e.startTime)";

/// Starts a site with the administrator's webhook `chat`, paused, and a task.
async fn paused() -> (Site, Receiver) {
    let site = Site::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    let admin = Visitor::login(&site, "admin").await;
    new_webhook(&admin, &receiver, "2").await;
    new_task(&admin, "x", &[]).await;
    site.engine.pause_webhook(WEBHOOK).await.unwrap();
    (site, receiver)
}

async fn send(engine: &Engine) {
    engine.send(WEBHOOK, None).await.unwrap();
}

/// Waits until the page has requested its live parts once more.
async fn next_answer(b: &Browser) {
    let asked = async || b.script(ASKED).await.as_array().map_or(0, Vec::len);
    let (before, mut tries) = (asked().await, 0);
    while asked().await < before + 2 {
        tries += 1;
        assert!(tries < 20_000, "the page asks no more");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn live_delivery_page_drops_queued_content_when_sent() {
    let (site, receiver) = paused().await;
    let engine = site.engine.clone();
    Browser::run(&site, Look::default(), async move |b: Browser| {
        b.login("admin").await;
        receiver.answer_with(&[StatusCode::BAD_GATEWAY, StatusCode::OK]);
        send(&engine).await;
        b.goto("/console/deliveries/1").await;
        b.until("#head .badge", "Held").await;
        let waiting = b.text("main").await;
        for part in ["held: webhook is paused", "None yet", "Cancel"] {
            assert!(waiting.contains(part), "{part}: {waiting}");
        }
        b.script("window.untouched = true").await;
        engine.resume_webhook(WEBHOOK).await.unwrap();
        b.until("#head .badge", "Delivered").await;
        let sent = b.text("main").await;
        for part in ["held: webhook is paused", "None yet", "Cancel"] {
            assert!(!sent.contains(part), "{part}: {sent}");
        }
        for part in ["502", "200", "Replay"] {
            assert!(sent.contains(part), "{part}: {sent}");
        }
        assert_eq!(b.script("return window.untouched").await, json!(true));
        assert_eq!(b.complaints().await, Vec::<String>::new());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_page_lists_what_its_queue_counts() {
    let (site, _receiver) = paused().await;
    let engine = site.engine.clone();
    Browser::run(&site, Look::default(), async move |b: Browser| {
        b.login("admin").await;
        b.until("main", "No deliveries yet").await;
        send(&engine).await;
        b.until("#queue .figures", "1\nqueued").await;
        let text = b.text("main").await;
        assert!(!text.contains("No deliveries yet"), "{text}");
        b.see("tbody a[href$='/deliveries/1']").await;
        // The page of the webhook follows, too.
        b.goto("/console/webhooks/1").await;
        b.see("tbody a[href$='/deliveries/1']").await;
        b.until(".figures", "1\nWaiting").await;
        send(&engine).await;
        b.until(".figures", "2\nWaiting").await;
        b.see("tbody a[href$='/deliveries/2']").await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn live_page_parts_refresh_in_one_request() {
    let (site, _receiver) = paused().await;
    Browser::run(&site, Look::default(), async move |b: Browser| {
        b.login("admin").await;
        b.goto("/console/webhooks/1").await;
        next_answer(&b).await;
        let asked: Vec<f64> = serde_json::from_value(b.script(ASKED).await).unwrap();
        let apart = asked[1] - asked[0];
        assert!(apart > 2_000.0, "{asked:?}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn live_update_preserves_focus_and_text_selection() {
    let (site, _receiver) = paused().await;
    let engine = site.engine.clone();
    Browser::run(&site, Look::default(), async move |b: Browser| {
        b.login("admin").await;
        send(&engine).await;
        b.goto("/console/deliveries").await;
        b.until("#delivery-1 .badge", "Held").await;
        b.script("document.querySelector('#delivery-1 td a').focus()")
            .await;
        engine.resume_webhook(WEBHOOK).await.unwrap();
        b.until("#delivery-1 .badge", "Delivered").await;
        let focused = b
            .script("return document.activeElement.getAttribute('href')")
            .await;
        assert_eq!(focused, json!("/console/deliveries/1"));
        // Selected text does not change until the selection ends.
        engine.pause_webhook(WEBHOOK).await.unwrap();
        send(&engine).await;
        b.goto("/console/deliveries/2").await;
        b.until("#head .badge", "Held").await;
        b.script("getSelection().selectAllChildren(document.querySelector('#delivery code'))")
            .await;
        engine.resume_webhook(WEBHOOK).await.unwrap();
        site_ended(&engine, 2).await;
        next_answer(&b).await;
        assert_eq!(b.text("#head .badge").await, "Held");
        b.script("getSelection().removeAllRanges()").await;
        b.until("#head .badge", "Delivered").await;
        // Screen readers announce the change.
        b.until("main > .unseen[role=status]", "Delivered").await;
    })
    .await;
}

async fn site_ended(engine: &Engine, id: i64) {
    let id = gatepost_storage::webhooks::DeliveryId(id);
    while !engine.delivery(id).await.unwrap().unwrap().state.is_final() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_connection_and_ended_session_are_reported() {
    let (site, _receiver) = paused().await;
    let engine = site.engine.clone();
    Browser::run(&site, Look::default(), async move |b: Browser| {
        let network = |offline: bool| json!({"offline": offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1});
        b.login("admin").await;
        b.devtools("Network.enable", Value::Object(serde_json::Map::new())).await;
        b.devtools("Network.emulateNetworkConditions", network(true)).await;
        b.until("main > [role=status].note", "Connection lost, trying again").await;
        b.devtools("Network.emulateNetworkConditions", network(false)).await;
        send(&engine).await;
        b.see("tbody a[href$='/deliveries/1']").await;
        assert!(!b.shows("main > [role=status].note").await);
        b.driver.delete_all_cookies().await.unwrap();
        b.until("main > [role=status].note", "Your session has ended. Log in").await;
        b.click("main > .note a").await;
        b.until("h1", "Log in").await;
        let back = b.script("return document.querySelector('[name=back]').value").await;
        assert_eq!(back, json!("/console/"));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn distances_in_time_tick_on_every_page() {
    let site = Site::start().await;
    Browser::run(&site, Look::default(), async move |b: Browser| {
        b.login("admin").await;
        b.goto("/console/keys/new").await;
        b.fill("#name", "k").await;
        b.click("form.main .submit .primary").await;
        b.see("dialog #secret").await;
        b.until("tbody time.away", "seconds ago").await;
        let first = b.text("tbody time.away").await;
        for _ in 0..1_000 {
            if b.text("tbody time.away").await != first {
                return;
            }
        }
        panic!("{first} stays");
    })
    .await;
}
