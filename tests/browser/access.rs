//! Every page, light and dark, wide and narrow: axe-core finds no fault, nothing stands beyond the
//! edge, and a picture is taken of each for people to look at.

use examples::receiver::Receiver;
use serde_json::Value;
use tests::browser::{Browser, Look, Site, furnish};

/// The page, and the name of its picture.
const PAGES: [(&str, &str); 29] = [
    ("/console/", "dashboard"),
    ("/console/keys", "keys"),
    ("/console/keys/new", "key-new"),
    ("/console/keys/1/edit", "key-edit"),
    ("/console/keys/1/delete", "key-delete"),
    ("/console/webhooks", "webhooks"),
    ("/console/webhooks/new", "webhook-new"),
    ("/console/webhooks/1", "webhook"),
    ("/console/webhooks/1?range=30d", "webhook-month"),
    ("/console/webhooks/1/signing", "webhook-signing"),
    ("/console/webhooks/1/signing/remove", "webhook-unsign"),
    ("/console/webhooks/1/edit", "webhook-edit"),
    ("/console/webhooks/1/delete", "webhook-delete"),
    ("/console/tasks", "tasks"),
    ("/console/tasks/new", "task-new"),
    ("/console/tasks/1/edit", "task-edit"),
    ("/console/tasks/1/test", "task-test"),
    ("/console/tasks/1/test?type=vms", "task-test-vm"),
    ("/console/tasks/1/delete", "task-delete"),
    ("/console/events", "events"),
    ("/console/events/catalog", "event-catalog"),
    ("/console/events/new", "event-type"),
    ("/console/events/new?type=vms", "event-new"),
    ("/console/events/1/edit", "event-edit"),
    ("/console/events/1/delete", "event-delete"),
    ("/console/deliveries", "deliveries"),
    ("/console/deliveries/2", "delivery"),
    ("/console/deliveries?state=queued", "deliveries-none"),
    ("/console/nothing-here", "not-found"),
];

/// What axe-core finds, each with the first element that it found it in.
async fn faults(b: &Browser) -> Vec<String> {
    const AXE: &str = include_str!("../vendor/axe-core/axe.min.js");
    b.script(AXE).await;
    let run = "const done = arguments[0]; axe.run(document, {resultTypes: ['violations']}).then(r => done(r.violations), e => done(String(e)))";
    let found = b.driver.execute_async(run, Vec::new()).await.unwrap();
    match found.json() {
        Value::Array(found) => found
            .iter()
            .map(|fault| {
                format!(
                    "{}: {} ({})",
                    fault["id"], fault["help"], fault["nodes"][0]["html"]
                )
            })
            .collect(),
        other => vec![other.to_string()],
    }
}

async fn look_at(b: &Browser, path: &str, name: &str, width: u32) {
    let faults = faults(b).await;
    assert!(faults.is_empty(), "{name}: {faults:#?}");
    let beyond = b.script("const w = document.documentElement.clientWidth; return [...document.querySelectorAll('main *, header *')].filter(e => e.getBoundingClientRect().right > w + 1 && !e.closest('.unseen, .skip, svg, pre, thead') && !e.matches('.unseen, .skip')).map(e => e.outerHTML.slice(0, 120)).slice(0, 3)").await;
    assert_eq!(beyond, serde_json::json!([]), "{path} at {width} pixels");
    b.shot(name).await;
    if ["dashboard", "key-popup", "webhook-dark"].contains(&name) {
        b.small_shot(&format!("{name}-small")).await;
    }
}

async fn all(look: Look, suffix: &'static str) {
    let site = Site::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    furnish(&site, &receiver).await;
    Browser::run(&site, look, async move |b: Browser| {
        b.login("admin").await;
        for (path, name) in PAGES {
            b.goto(path).await;
            look_at(&b, path, &format!("{name}{suffix}"), look.width).await;
        }
        // A form with errors, the response to a test, and the popup.
        b.goto("/console/webhooks/new").await;
        b.fill("#timeout", "1").await;
        b.click("form.main .submit .primary").await;
        b.see(".note.bad").await;
        look_at(&b, "errors", &format!("webhook-errors{suffix}"), look.width).await;
        b.goto("/console/webhooks/1").await;
        b.click("#test button").await;
        b.until("h1", "Test of").await;
        look_at(&b, "test", &format!("webhook-test{suffix}"), look.width).await;
        b.goto("/console/keys/new").await;
        b.fill("#name", "deploy").await;
        b.click("form.main .submit .primary").await;
        b.see("dialog #secret").await;
        look_at(&b, "popup", &format!("key-popup{suffix}"), look.width).await;
        // The search itself: a fault that is put in is found.
        b.script("document.querySelector('dialog').append(document.createElement('select'))")
            .await;
        assert!(
            faults(&b)
                .await
                .iter()
                .any(|fault| fault.contains("select-name"))
        );
        let ground = b
            .script("return getComputedStyle(document.body).backgroundColor")
            .await;
        let light: u32 = ground
            .as_str()
            .unwrap()
            .split(|c: char| !c.is_ascii_digit())
            .filter_map(|n| n.parse::<u32>().ok())
            .take(3)
            .sum();
        assert_eq!(light < 200, look.dark, "{ground}");
        assert_eq!(b.complaints().await, Vec::<String>::new());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn light() {
    all(Look::default(), "").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn dark() {
    all(
        Look {
            dark: true,
            ..Look::default()
        },
        "-dark",
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn four_hundred_pixels_wide() {
    all(
        Look {
            width: 400,
            ..Look::default()
        },
        "-400",
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn four_hundred_pixels_wide_and_dark() {
    all(
        Look {
            width: 400,
            dark: true,
            ..Look::default()
        },
        "-400-dark",
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_first_visit_finds_real_empty_pages() {
    let site = Site::start().await;
    Browser::run(&site, Look::default(), async |b: Browser| {
        b.login("vera").await;
        for (path, name) in [
            ("/console/", "dashboard"),
            ("/console/keys", "keys"),
            ("/console/webhooks", "webhooks"),
            ("/console/tasks", "tasks"),
            ("/console/tasks/new", "task-new"),
            ("/console/events", "events"),
            ("/console/deliveries", "deliveries"),
        ] {
            b.goto(path).await;
            look_at(&b, path, &format!("{name}-empty"), 1200).await;
        }
    })
    .await;
}
