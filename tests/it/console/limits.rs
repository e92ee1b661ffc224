//! Limits in the console: the usage and the maximum of each, refused, rejected and unstored data,
//! events that may not be received, and records that cannot be read.

use std::sync::Arc;

use axum::http::StatusCode;
use examples::platform::Platform;
use examples::receiver::Receiver;
use gatepost_ids::{ObjectId, Quota};
use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::seal::{SealingKey, SealingKeys};
use tests::browser::form_input::{hook, new_event, new_task, new_webhook};
use tests::browser::{Setup, Site, Visitor};

const NEW: &str = "/console/webhooks/new";

async fn site(quota: Quota) -> Site {
    let setup = Setup {
        quotas: Arc::new(quota),
        ..Setup::new()
    };
    setup.start().await
}

#[tokio::test]
async fn first_page_shows_usage_form_names_full_limit() {
    let quota = Quota::default()
        .with_webhooks(1)
        .with_key_changes_per_minute(1);
    let site = site(quota).await;
    let ulf = Visitor::login(&site, "ulf").await;
    let shows = async |text: &str| ulf.get("/console/").await.has(text);
    assert!(shows("<dt>Webhooks</dt><dd>0 of 1</dd>").await);
    assert!(shows("<dt>Size of the delivery log</dt><dd>0 bytes of 1 GiB</dd>").await);
    ulf.submit(NEW, &hook("https://example.com/", &[]))
        .await
        .expect(303);
    assert!(shows("<dt>Webhooks</dt><dd>1 of 1 <span class=\"badge bad\">full</span></dd>").await);
    let other = hook("https://example.com/", &[("name", "other")]);
    let page = ulf.submit(NEW, &other).await;
    assert_eq!(page.status, 422);
    page.shows("You have 1 of 1 webhooks.");
    assert!(page.has("value=\"other\""), "what was typed is kept");
    // The page creates the webhook after there is headroom.
    ulf.submit("/console/webhooks/1/delete", &[]).await;
    assert_eq!(ulf.submit(NEW, &other).await.status, 303);
    // A rate limit is shown as well.
    let key = |name| [("name", name), ("expires_type", "never")];
    let made = ulf.submit("/console/keys/new", &key("a")).await;
    assert!(made.secret().is_some(), "{}", made.html);
    let refused = ulf.submit("/console/keys/new", &key("b")).await;
    assert_eq!((refused.status, refused.secret()), (422, None));
    refused.shows("again in");
}

#[tokio::test]
async fn full_log_omits_message_and_response_with_notice() {
    let quota = Quota::default().with_log_bytes(0);
    let site = site(quota).await;
    let ulf = Visitor::login(&site, "ulf").await;
    let receiver = Receiver::start(None).await.unwrap();
    receiver.answer_with(&[StatusCode::IM_A_TEAPOT]);
    new_webhook(&ulf, &receiver, "0").await;
    new_task(&ulf, "a-message-of-mine", &[]).await;
    ulf.fill("/console/tasks/new", "/console/tasks/1/do/run", &[])
        .await;
    let received = receiver.wait_for("/in", 1).await.unwrap();
    assert_eq!(
        received.body, "a-message-of-mine",
        "it is sent all the same"
    );
    site.ended(1).await;
    let page = ulf.get("/console/deliveries/1").await;
    assert!(page.has("418"), "the outcome is kept: {}", page.html);
    page.shows("Not kept:");
    page.shows("Request and response were not kept.");
    assert!(!page.has("a-message-of-mine") && !page.has("/replay\""));
}

#[tokio::test]
async fn rejected_deliveries_are_shown_on_webhook_page() {
    let quota = Quota::default().with_waiting(1);
    let site = site(quota).await;
    let ulf = Visitor::login(&site, "ulf").await;
    let receiver = Receiver::start(None).await.unwrap();
    new_webhook(&ulf, &receiver, "0").await;
    new_task(&ulf, "x", &[]).await;
    let event = [
        ("event", "poweron"),
        ("target", "instance"),
        ("instance", "1"),
    ];
    let event = [&event[..], &[("task", "1"), ("enabled", "on")]].concat();
    assert_eq!(new_event(&ulf, &event).await.status, 303);
    ulf.fill(NEW, "/console/webhooks/1/do/pause", &[]).await;
    let page = ulf.get("/console/webhooks/1").await;
    assert!(
        !page.has("<h2>RejectedCount</h2>"),
        "the control: {}",
        page.html
    );
    for _ in 0..3 {
        let occurrence = Platform::vm_event(ObjectId::from(1), "poweron")
            .unwrap()
            .unwrap();
        site.engine.emit(occurrence).await.unwrap();
    }
    // Counts are written once a second.
    let mut html = String::new();
    for _ in 0..500 {
        html = ulf.get("/console/webhooks/1").await.html;
        if html.contains("<h2>RejectedCount</h2>") {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert!(html.contains("<span>2</span>"), "{html}");
    assert!(html.contains("or too many bytes, were waiting"), "{html}");
}

/// The rule of the example platform: `ulf` is in the tenant of the machines 1 to 3, `vera` in none;
/// the machine 4 is of another tenant, and only administrators may receive the state of tenants.
#[tokio::test]
async fn event_form_offers_permitted_objects_and_refuses_others() {
    let setup = Setup {
        watch: Arc::new(Platform::default()),
        ..Setup::new()
    };
    let site = setup.start().await;
    let ulf = Visitor::login(&site, "ulf").await;
    let receiver = Receiver::start(None).await.unwrap();
    new_webhook(&ulf, &receiver, "0").await;
    new_task(&ulf, "x", &[]).await;
    let form = ulf.get("/console/events/new?type=vms").await;
    form.shows(">web-1<");
    form.shows(">build<");
    form.hides("shop-1");
    form.hides("blog");
    let event = |machine| {
        [
            ("event", "poweron"),
            ("target", "instance"),
            ("instance", machine),
            ("task", "1"),
            ("enabled", "on"),
        ]
    };
    assert_eq!(new_event(&ulf, &event("1")).await.status, 303);
    for machine in ["4", "5", "99"] {
        let refused = new_event(&ulf, &event(machine)).await;
        assert_eq!(refused.status, 422, "{machine}: {}", refused.html);
        refused.shows("Nothing was saved.");
        assert!(!refused.has("shop-1") && !refused.has("blog"));
    }
}

/// A webhook whose sealing key is lost does nothing and can be deleted; the others work.
#[tokio::test]
async fn unreadable_webhook_is_listed_and_can_be_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let site = async |key: [u8; 32]| {
        let file = SqliteConfig::file(folder.path().join("gatepost.db"));
        let sealing = SealingKeys::new(SealingKey::new(1, key));
        let store = SqliteStore::open(file.with_sealing(sealing)).await.unwrap();
        let store = Arc::new(store);
        let setup = Setup::on(&store);
        (setup.start().await, store)
    };
    let (first, store) = site([1; 32]).await;
    let ulf = Visitor::login(&first, "ulf").await;
    let secret = hook(
        "https://example.com/",
        &[("auth", "bearer"), ("token", "t")],
    );
    assert_eq!(ulf.submit(NEW, &secret).await.status, 303);
    assert!(!ulf.get("/console/webhooks").await.has("Unreadable records"));
    first.engine.shutdown(std::time::Duration::ZERO).await;
    store.close().await;

    let (site, _) = site([2; 32]).await;
    let (ulf, vera) = (
        Visitor::login(&site, "ulf").await,
        Visitor::login(&site, "vera").await,
    );
    let page = ulf.get("/console/webhooks").await;
    assert!(page.has("Unreadable records") && page.has("/console/webhooks/1/delete"));
    assert_eq!(ulf.get("/console/webhooks/1").await.status, 409);
    vera.get("/console/webhooks")
        .await
        .hides("Unreadable records");
    assert_eq!(vera.get("/console/webhooks/1/delete").await.status, 404);
    // A new webhook works at the same time.
    let new = hook("https://example.com/", &[("name", "new")]);
    assert_eq!(ulf.submit(NEW, &new).await.status, 303);
    let asked = ulf.get("/console/webhooks/1/delete").await;
    asked.shows("cannot be read");
    let gone = ulf.submit("/console/webhooks/1/delete", &[]).await;
    gone.leads_to("/console/webhooks?done=deleted");
    assert!(!ulf.get("/console/webhooks").await.has("Unreadable records"));
}
