//! Every page, light and dark, wide and narrow: axe-core finds no fault, no element exceeds the
//! edge of the page or its section, and a screenshot of each is taken for people to look at.

use examples::receiver::Receiver;
use serde_json::json;
use tests::browser::{Browser, Look, PAGES, STANDS_OUT, Site, faults, furnish};

async fn look_at(b: &Browser, path: &str, name: &str, width: u32) {
    let faults = faults(b).await;
    assert!(faults.is_empty(), "{name}: {faults:#?}");
    // The navigation of a narrow screen scrolls by itself.
    let beyond = b.script("const w = document.documentElement.clientWidth; return [...document.querySelectorAll('main *, header *')].filter(e => e.getBoundingClientRect().right > w + 1 && !e.closest('.unseen, .skip, svg, pre, thead, nav ul, details:not([open]) > :not(summary)') && !e.matches('.unseen, .skip')).map(e => e.outerHTML.slice(0, 120)).slice(0, 3)").await;
    assert_eq!(beyond, json!([]), "{path} at {width} pixels");
    assert_eq!(out(b).await, json!([]), "{path} at {width} pixels");
    b.shot(name).await;
}

/// Returns the elements that exceed their section.
async fn out(b: &Browser) -> serde_json::Value {
    b.script(&format!("return {STANDS_OUT}")).await
}

async fn all(look: Look, suffix: &'static str) {
    let site = Site::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    furnish(&site, &receiver).await;
    Browser::run(&site, look, async move |b: Browser| {
        b.login("admin").await;
        for &(path, name) in PAGES {
            b.goto(path).await;
            look_at(&b, path, &format!("{name}{suffix}"), look.width).await;
        }
        // A form with errors, the response to a test, and the popup.
        b.goto("/console/webhooks/new").await;
        b.fill("#timeout", "1").await;
        b.click("form.main .submit .primary").await;
        b.see(".note.bad").await;
        look_at(&b, "errors", &format!("webhook-errors{suffix}"), look.width).await;
        b.goto("/console/webhooks/1/test").await;
        b.click("section form .primary").await;
        b.until("main", "The test was queued.").await;
        look_at(&b, "test", &format!("webhook-test{suffix}"), look.width).await;
        // An element that exceeds its section is found.
        b.goto("/console/webhooks/1").await;
        b.script("document.querySelector('section .button').style.paddingLeft = '200vw'")
            .await;
        assert_eq!(out(&b).await.as_array().map(Vec::len), Some(1));
        b.goto("/console/keys/new").await;
        b.fill("#name", "deploy").await;
        b.click("form.main .submit .primary").await;
        b.see("dialog #secret").await;
        look_at(&b, "popup", &format!("key-popup{suffix}"), look.width).await;
        b.press(thirtyfour::Key::Escape).await;
        b.see("[data-ask]").await;
        look_at(
            &b,
            "question",
            &format!("key-popup-question{suffix}"),
            look.width,
        )
        .await;
        // Control: an inserted fault is found.
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
async fn dark_on_a_tablet() {
    all(
        Look {
            width: 768,
            dark: true,
            ..Look::default()
        },
        "-768-dark",
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

/// Returns the names that screen readers announce for the links and buttons of a page.
async fn spoken(b: &Browser) -> Vec<String> {
    let tree = b.devtools("Accessibility.getFullAXTree", json!({})).await;
    let nodes = tree["nodes"].as_array().unwrap().iter();
    let used = nodes.filter(|node| {
        let role = &node["role"]["value"];
        role == "link" || role == "button"
    });
    let names = used.filter_map(|node| node["name"]["value"].as_str());
    names.map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn row_buttons_have_accessible_names_with_row_name() {
    let site = Site::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    furnish(&site, &receiver).await;
    Browser::run(&site, Look::default(), async |b: Browser| {
        b.login("admin").await;
        for (path, names) in [
            ("keys", ["Edit nightly build", "Delete nightly build"]),
            ("webhooks", ["Ops channel", "Logged in as admin"]),
            (
                "tasks",
                ["Disable Tell operations", "Test or run Tell operations"],
            ),
            (
                "events",
                [
                    "Trigger Virtual Machines Powered on web-1",
                    "Disable Virtual Machines Powered on web-1",
                ],
            ),
        ] {
            b.goto(&format!("/console/{path}")).await;
            let spoken = spoken(&b).await;
            for name in names {
                assert!(spoken.iter().any(|said| said == name), "{name}: {spoken:?}");
            }
        }
    })
    .await;
}
