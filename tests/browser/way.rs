//! The complete flow in a real browser (SPEC 4 rule 3): a key that is used, a webhook, a task, an
//! event, a delivered message.

use axum::http::StatusCode;
use examples::client::call;
use examples::receiver::Receiver;
use gatepost_engine::{Audience, Engine};
use gatepost_keys::TenantId;
use serde_json::json;
use tests::browser::{Browser, Look, Site};
use tests::world::{HERE, poweron};
use webhook_model::{Occurrence, WebhookId};

/// A key from the popup, copied if scripts allow it, authenticates a request to the API.
async fn key(b: &Browser, site: std::net::SocketAddr, scripts: bool) {
    b.click("nav a[href$='/keys']").await;
    b.click("a.primary").await;
    b.fill("#name", "browser").await;
    b.click("form.main .submit .primary").await;
    let key = b.text("dialog #secret").await;
    if scripts {
        let permissions = json!({"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]});
        b.devtools("Browser.grantPermissions", permissions).await;
        b.click("dialog [data-copy]").await;
        b.until("#copied", "Copied.").await;
        let read = "navigator.clipboard.readText().then(arguments[0])";
        let copied = b.driver.execute_async(read, Vec::new()).await.unwrap();
        assert_eq!(copied.json(), &json!(key));
    }
    let answer = call(site, HERE, "GET", "/api/v4/system", Some(&key), None)
        .await
        .unwrap();
    assert_eq!(answer.status, 200);
    if scripts {
        b.click("dialog [data-close]").await;
    } else {
        b.click("dialog [type=checkbox]").await;
        b.click("dialog .done button").await;
    }
}

/// Creates the records from an empty dashboard up to an event, guided by the pages.
async fn records(b: &Browser, target: std::net::SocketAddr, scripts: bool) {
    b.click("nav a[href$='/console/']").await;
    b.click("li.next a.primary").await;
    b.fill("#name", "Chat channel").await;
    b.fill("#url", &format!("http://{target}/hook")).await;
    b.click("input[name=auth][value=bearer]").await;
    b.fill("#token", "t0ken").await;
    b.click("form.main .submit .primary").await;
    b.until(".note", "The webhook was created").await;

    b.click("a[href*='/tasks/new?webhook=']").await;
    assert_eq!(b.value("#webhook").await, "1");
    b.fill("#name", "Tell the channel").await;
    b.fill("#message", r#"{"text":"${NAME} is on"}"#).await;
    if !scripts {
        b.click("[value=preview]").await;
    }
    b.until("#preview", "web-1 is on").await;
    b.click("form.main .submit .primary").await;
    b.click(".note a").await;

    // The user chooses the type, then the event, then an instance or a tag, then the task.
    b.choose("#type", "Virtual Machines").await;
    b.click("form[method=get] button").await;
    b.choose("#event", "Powered on").await;
    b.choose("#instance", "web-1").await;
    b.choose("#task", "Tell the channel").await;
    b.click("form.main[method=post] .submit .primary").await;
    b.until(".note", "The event was created").await;
}

/// The event occurs, and the message arrives and is shown.
async fn delivery(b: &Browser, engine: &Engine, receiver: &Receiver) {
    b.click("nav a[href$='/deliveries']").await;
    b.until("main", "No deliveries yet").await;
    engine.emit(poweron(1, &[])).await.unwrap();
    let got = receiver.wait_for("/hook", 1).await.unwrap();
    assert_eq!(got.body, r#"{"text":"vm-1 is on"}"#);
    assert_eq!(got.header("authorization"), Some("Bearer t0ken"));
    for _ in 0..20 {
        b.goto("/console/deliveries").await;
        if b.text("tbody .badge").await == "Delivered" {
            break;
        }
    }
    b.click("tbody a[href*='/deliveries/']").await;
    b.until("main", "vm-1 is on").await;
    b.until("#attempts", "200").await;
}

async fn way(scripts: bool) {
    let site = Site::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    let (addr, engine) = (site.addr, site.engine.clone());
    let look = Look {
        scripts,
        ..Look::default()
    };
    Browser::run(&site, look, async move |b: Browser| {
        b.login("admin").await;
        assert_eq!(b.text("h1").await, "Overview");
        assert!(b.text("main").await.contains("Tasks dashboard"));
        key(&b, addr, scripts).await;
        records(&b, receiver.addr, scripts).await;
        delivery(&b, &engine, &receiver).await;
        assert_eq!(b.complaints().await, Vec::<String>::new());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn from_a_key_to_a_delivered_message() {
    way(true).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn journey_from_key_to_delivery_works_without_scripts() {
    way(false).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn first_delivery_takes_one_form_within_eight_clicks() {
    let site = Site::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    let engine = site.engine.clone();
    Browser::run(&site, Look::default(), async move |b: Browser| {
        b.login("ulf").await;
        let mut clicks = 0;
        let mut click = async |css: &str| {
            clicks += 1;
            b.click(css).await;
        };
        click("li.next a.primary").await;
        b.fill("#name", "Chat").await;
        let url = format!("http://{}/hook", receiver.addr);
        b.fill("#url", &url).await;
        click("input[name=when][value='alarms/raised']").await;
        click("form.main .submit .primary").await;
        b.until(".note", "The subscription was created").await;
        let (of, event) = ("alarms".parse().unwrap(), "raised".parse().unwrap());
        let alarm = Occurrence::new(of, event, Audience::Tenant(TenantId(1)));
        engine.emit(alarm).await.unwrap();
        receiver.wait_for("/hook", 1).await.unwrap();
        click("nav a[href$='/deliveries']").await;
        click("tbody a[href*='/deliveries/']").await;
        b.until("#attempts", "200").await;
        assert!(clicks <= 8, "{clicks}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn counts_and_states_update_on_open_pages() {
    let site = Site::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    let engine = site.engine.clone();
    Browser::run(&site, Look::default(), async move |b: Browser| {
        b.login("ulf").await;
        b.goto("/console/webhooks/new").await;
        b.fill("#name", "live").await;
        b.fill("#url", &format!("http://{}/hook", receiver.addr))
            .await;
        b.click("form.main .submit .primary").await;
        b.until(".note", "The webhook was created").await;
        b.script("window.untouched = true").await;
        b.until(".figures", "0\nDelivered").await;
        engine.send(WebhookId(1), None).await.unwrap();
        b.until(".figures", "1\nDelivered").await;
        receiver.answer_with(&[StatusCode::IM_A_TEAPOT; 4]);
        engine.send(WebhookId(1), None).await.unwrap();
        b.until(".figures", "1\nFailed").await;
        assert_eq!(
            b.script("return window.untouched").await,
            json!(true),
            "without a reload"
        );
        // A list says that there are more rows, and a waiting row changes without moving.
        engine.pause_webhook(WebhookId(1)).await.unwrap();
        engine.send(WebhookId(1), None).await.unwrap();
        b.goto("/console/deliveries").await;
        b.until("#delivery-3 .badge", "Held").await;
        b.script("window.untouched = true").await;
        engine.resume_webhook(WebhookId(1)).await.unwrap();
        b.until("#delivery-3 .badge", "Delivered").await;
        engine.send(WebhookId(1), None).await.unwrap();
        b.until("#deliveries", "Show 1 newer delivery").await;
        assert_eq!(
            b.script("return window.untouched").await,
            json!(true),
            "without a reload"
        );
        b.click("#deliveries > p a").await;
        b.see("#delivery-4").await;
        assert_eq!(b.complaints().await, Vec::<String>::new());
    })
    .await;
}
