//! No text breaks a page: not the longest one, without a space, from right to left, with emoji, in
//! every field, on every page, at every width and at twice the size.

use examples::receiver::Receiver;
use serde_json::json;
use tests::browser::{Browser, Look, Site, Visitor};

/// The widths of windows, in pixels: phones, a tablet, a desktop, and a desktop of 1,280 at 200 %.
const WIDTHS: [u32; 5] = [320, 390, 768, 1440, 640];
/// The number of phones among them, which come first.
const PHONES: usize = 2;
const PAGES: [&str; 27] = [
    "",
    "keys",
    "keys/new",
    "keys/1/edit",
    "keys/1/delete",
    "webhooks",
    "webhooks/new",
    "webhooks/1",
    "webhooks/1/edit",
    "webhooks/1/delete",
    "tasks",
    "tasks/new",
    "tasks/1/edit",
    "tasks/1/delete",
    "events",
    "events/new",
    "events/new?type=vms",
    "events/1/edit",
    "events/1/delete",
    "deliveries",
    "deliveries/1",
    "deliveries?state=queued",
    "deliveries?q=w",
    "tasks/1/test",
    "changes",
    "users",
    "nothing-here",
];

fn texts() -> [String; 4] {
    let family = "\u{1f468}\u{1f469}\u{1f467}\u{1f466}";
    [
        "W".repeat(128),
        "\u{5e9}\u{5dc}\u{5d5}\u{5dd}".repeat(32),
        family.repeat(32),
        "\u{6f22}\u{5b57}".repeat(64),
    ]
}

/// Creates records with such a text in every field.
async fn furnish(site: &Site, receiver: &Receiver) {
    let admin = Visitor::login(site, "admin").await;
    for (at, text) in texts().iter().enumerate() {
        let row = (at + 1).to_string();
        let long = text.repeat(3);
        let key = [
            ("name", text.as_str()),
            ("description", &long),
            ("expires_type", "90"),
            ("allow.0.net", "2001:db8:1111:2222:3333:4444:5555:6666"),
            ("allow.0.on", "on"),
        ];
        let page = admin.submit("/console/keys/new", &key).await;
        assert!(page.secret().is_some(), "{text}: {}", page.html);
        let url = format!("http://{}/{}", receiver.addr, "x".repeat(1_500));
        let header = format!("X-Long: {}", "y".repeat(1_500));
        let hook = [
            ("name", text.as_str()),
            ("url", &url),
            ("auth", "none"),
            ("header_mode", "text"),
            ("headers_text", &header),
            ("timeout", "3"),
            ("retries", "0"),
            ("enabled", "on"),
        ];
        let page = admin.submit("/console/webhooks/new", &hook).await;
        assert_eq!(page.status, 303, "{text}: {}", page.html);
        let short: String = text.chars().take(64).collect();
        let task = [
            ("name", short.as_str()),
            ("description", &long),
            ("webhook", &row),
            ("message", &long),
            ("enabled", "on"),
        ];
        let page = admin.submit("/console/tasks/new", &task).await;
        assert_eq!(page.status, 303, "{text}: {}", page.html);
        let event = [
            ("event", "poweron"),
            ("target", "tag"),
            ("tag", "1"),
            ("task", &row),
        ];
        let new = "/console/events/new";
        let page = admin.fill(&format!("{new}?type=vms"), new, &event).await;
        assert_eq!(page.status, 303, "{text}: {}", page.html);
        let run = format!("/console/tasks/{row}/do/run");
        admin.fill("/console/tasks/new", &run, &[]).await;
        site.ended(at as i64 + 1).await;
    }
}

/// Changes the width, with the same page.
async fn widen(b: &Browser, width: u32) {
    let scale = if width == 640 { 2 } else { 1 };
    let size = json!({"width": width, "height": 900, "deviceScaleFactor": scale, "mobile": false});
    b.devtools("Emulation.setDeviceMetricsOverride", size).await;
}

/// Returns by how much the page is wider than the window, and the elements beyond its edge.
async fn beyond(b: &Browser) -> serde_json::Value {
    b.script("const page = document.scrollingElement; const wide = page.scrollWidth - innerWidth; return wide <= 0 ? 0 : [wide, [...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 100)).slice(0, 4)]").await
}

#[tokio::test(flavor = "multi_thread")]
async fn text_never_makes_page_wider_than_window() {
    let site = Site::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    furnish(&site, &receiver).await;
    Browser::run(&site, Look::default(), async |b: Browser| {
        b.login("admin").await;
        let mut faults = Vec::new();
        for path in PAGES {
            b.goto(&format!("/console/{path}")).await;
            for (at, width) in WIDTHS.into_iter().enumerate() {
                widen(&b, width).await;
                let beyond = beyond(&b).await;
                if beyond != json!(0) {
                    faults.push(format!("{path} at {width}: {beyond}"));
                }
                let head = "return document.querySelector('header.top').offsetHeight";
                let head = b.script(head).await.as_f64().unwrap();
                if at < PHONES && head > 64.0 {
                    faults.push(format!("{path} at {width}: the head takes {head} px"));
                }
            }
        }
        assert!(faults.is_empty(), "{faults:#?}");
        // Control: an element that is too wide is found.
        widen(&b, 320).await;
        b.script("const wide = document.createElement('p'); wide.textContent = 'wide'; wide.className = 'nowrap'; wide.textContent = 'W'.repeat(128); document.querySelector('main').append(wide)").await;
        assert_ne!(beyond(&b).await, json!(0));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn forced_colours_show_current_page_hover_hides_nothing() {
    let site = Site::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    tests::browser::furnish(&site, &receiver).await;
    Browser::run(&site, Look::default(), async |b: Browser| {
        b.login("admin").await;
        b.goto("/console/webhooks").await;
        let forced = json!({"features": [{"name": "forced-colors", "value": "active"}]});
        b.devtools("Emulation.setEmulatedMedia", forced).await;
        let colour = async |of: &str| {
            let code = format!("return getComputedStyle(document.querySelector('{of}')).borderBottomColor");
            b.script(&code).await
        };
        let (here, other) = (".top nav a[aria-current]", ".top nav a:not([aria-current])");
        assert_ne!(colour(here).await, colour(other).await);
        b.devtools("Emulation.setEmulatedMedia", json!({"features": []})).await;
        // Code and badges contrast with the row under the pointer.
        b.goto("/console/deliveries/2").await;
        let row = b.see("#attempts li:last-child").await;
        let chain = b.driver.action_chain().move_to_element_center(&row);
        chain.perform().await.unwrap();
        let ground = "const row = document.querySelector('#attempts li:last-child'); return [row.matches(':hover'), getComputedStyle(row).backgroundColor]";
        assert_eq!(b.script(ground).await, json!([true, "rgba(0, 0, 0, 0)"]));
    })
    .await;
}
