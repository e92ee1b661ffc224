//! Forms in a real browser: errors next to their fields, rows that are moved, by mouse, by keyboard
//! and without scripts.

use examples::receiver::Receiver;
use serde_json::json;
use tests::browser::{Browser, Look, Site, Visitor, furnish};
use thirtyfour::Key;

const PLAIN: Look = Look {
    width: 1200,
    dark: false,
    scripts: false,
};

async fn send(b: &Browser) {
    b.click("form.main .submit .primary").await;
}

/// Asserts that the error of a field is visible, directly below the field, and linked to it for
/// screen readers.
async fn stands_beside(b: &Browser, field: &str, control: &str, rule: &str) {
    let error = format!("[id='{field}-error']");
    b.until(&error, rule).await;
    let (place, below) = (b.see(control).await, b.see(&error).await);
    let (place_at, below_at) = (place.rect().await.unwrap(), below.rect().await.unwrap());
    let gap = below_at.y - (place_at.y + place_at.height);
    assert!(
        (0.0..140.0).contains(&gap),
        "{field}: the error is {gap} pixels below"
    );
    assert_eq!(
        place.attr("aria-invalid").await.unwrap().as_deref(),
        Some("true"),
        "{field}"
    );
    let described = place.attr("aria-describedby").await.unwrap().unwrap();
    assert!(
        described.contains(&format!("{field}-error")),
        "{field}: {described}"
    );
}

/// Sends each form with one wrong value at a time; the typed values stay.
async fn errors(b: Browser) {
    b.login("ulf").await;
    let cases = [
        (
            "/console/keys/new",
            "name",
            "#name",
            " ",
            "Name must not be blank.",
        ),
        (
            "/console/keys/new",
            "allow",
            "[name='allow.0.net']",
            "10.0.0.256",
            "Entry 1",
        ),
        (
            "/console/keys/new",
            "deny",
            "[name='deny.0.net']",
            "fe80::1%eth0",
            "Entry 1",
        ),
        ("/console/webhooks/new", "name", "#name", " ", "Required."),
        (
            "/console/webhooks/new",
            "url",
            "#url",
            "example.com",
            "Must",
        ),
        (
            "/console/webhooks/new",
            "timeout",
            "#timeout",
            "2",
            "Must be 3 or greater.",
        ),
        (
            "/console/webhooks/new",
            "retries",
            "#retries",
            "101",
            "Must be 100 or less.",
        ),
        (
            "/console/webhooks/new",
            "rate",
            "#rate",
            "0",
            "Must be 1 to 10000",
        ),
        (
            "/console/webhooks/new",
            "header",
            "[name='header.0.name']",
            "Host",
            "Line 1",
        ),
        ("/console/tasks/new", "name", "#name", " ", "Required."),
    ];
    for (path, field, control, wrong, rule) in cases {
        b.goto(path).await;
        if field != "name" {
            b.fill("#name", "typed").await;
        }
        if path.contains("webhooks") && field != "url" {
            b.fill("#url", "https://example.com/typed").await;
        }
        b.fill(control, wrong).await;
        send(&b).await;
        b.until(".note.bad", "Nothing was saved.").await;
        stands_beside(&b, field, control, rule).await;
        assert_eq!(b.value(control).await, wrong, "{path} {field}");
        if field != "name" {
            assert_eq!(b.value("#name").await, "typed", "{path} {field}");
        }
        if path.contains("webhooks") && field != "url" {
            assert_eq!(
                b.value("#url").await,
                "https://example.com/typed",
                "{field}"
            );
        }
    }
    // A date that is missing.
    b.goto("/console/keys/new").await;
    b.fill("#name", "k").await;
    b.click("[name=expires_type][value=date]").await;
    send(&b).await;
    stands_beside(&b, "expires", "#expires", "Enter a date and time.").await;
    // Manual header text with a bad line.
    b.goto("/console/webhooks/new").await;
    b.click("[name=header_mode][value=text]").await;
    let text = "X-One: 1\nno colon here\nX-Three: 3";
    b.fill("#headers_text", text).await;
    send(&b).await;
    stands_beside(
        &b,
        "headers_text",
        "#headers_text",
        "Line 2: must be 'Name: value'.",
    )
    .await;
    assert_eq!(b.value("#headers_text").await, text);
    // An event without its object.
    b.goto("/console/events/new?type=vms").await;
    send(&b).await;
    stands_beside(&b, "instance", "#instance", "Choose the object.").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn field_errors_are_adjacent_and_input_is_kept() {
    let site = Site::start().await;
    Browser::run(&site, Look::default(), errors).await;
    assert!(site.heard().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn field_errors_are_adjacent_without_scripts() {
    let site = Site::start().await;
    Browser::run(&site, PLAIN, errors).await;
    assert!(site.heard().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn typing_shows_errors_and_submit_focuses_invalid_field() {
    let site = Site::start().await;
    Browser::run(&site, Look::default(), async |b: Browser| {
        b.login("ulf").await;
        b.goto("/console/keys/new").await;
        b.fill("[name='allow.0.net']", "10.0.0.999").await;
        b.until("#allow-error", "Entry 1").await;
        assert!(
            !b.shows("#name-error").await,
            "a field that was not touched is not complained of"
        );
        b.fill("[name='allow.0.net']", "10.0.0.9").await;
        b.click("[name='allow.0.on']").await;
        b.until("[data-hint=ip]", "works from nowhere").await;
        assert!(!b.shows("#allow-error").await);
        send(&b).await;
        b.until(".note.bad", "Nothing was saved.").await;
        let focus = b.script("return document.activeElement.id").await;
        assert_eq!(focus, json!("name"));
        // The summary ends with the last problem.
        b.fill("#name", "repaired").await;
        for _ in 0..100 {
            if !b.shows(".note.bad").await {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        assert!(!b.shows(".note.bad").await);
        assert_eq!(b.complaints().await, Vec::<String>::new());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_deleted_before_the_question_is_answered() {
    let site = Site::start().await;
    let ulf = Visitor::login(&site, "ulf").await;
    ulf.submit(
        "/console/keys/new",
        &[("name", "k"), ("expires_type", "never")],
    )
    .await;
    let heard = site.heard().len();
    Browser::run(&site, Look::default(), async |b: Browser| {
        b.login("ulf").await;
        b.goto("/console/keys").await;
        b.click("a[href$='/keys/1/delete']").await;
        b.until("main", "cannot be undone").await;
        b.click("a.button").await;
        b.until("tbody", "k").await;
        b.click("a[href$='/keys/1/delete']").await;
        b.click("button.danger").await;
        b.until(".note", "The key was deleted").await;
        b.until("main", "No API keys yet").await;
    })
    .await;
    assert_eq!(site.heard().len(), heard + 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn link_to_destructive_action_has_danger_colour() {
    let site = Site::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    furnish(&site, &receiver).await;
    Browser::run(&site, Look::default(), async |b: Browser| {
        b.login("admin").await;
        let colour = async |of: &str| {
            let code = format!("return getComputedStyle(document.querySelector('{of}')).color");
            b.script(&code).await
        };
        b.goto("/console/webhooks/1/signing").await;
        let way = colour("main a.danger").await;
        assert_ne!(way, colour("main form button").await);
        b.click("main a.danger").await;
        b.until("main", "cannot be restored").await;
        assert_eq!(way, colour("main button.danger").await);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn key_creation_works_with_keyboard_only() {
    let site = Site::start().await;
    Browser::run(&site, Look::default(), async |b: Browser| {
        b.login("ulf").await;
        b.goto("/console/keys").await;
        // The first Tab stop skips the navigation.
        let focus = async || b.script("const e = document.activeElement; return e.name || e.textContent.trim()").await;
        b.press(Key::Tab).await;
        assert_eq!(focus().await, json!("Skip to content"));
        b.press(Key::Enter).await;
        b.press(Key::Tab).await;
        assert_eq!(focus().await, json!("New API key"));
        b.press(Key::Enter).await;
        b.see("#name").await;
        let mut stops = Vec::new();
        b.driver.action_chain().send_keys(Key::Tab).perform().await.unwrap();
        for _ in 0..40 {
            let at = focus().await.as_str().unwrap_or_default().to_owned();
            stops.push(at.clone());
            match at.as_str() {
                "name" => b.driver.action_chain().send_keys("by keyboard").perform().await.unwrap(),
                "Create key" => break,
                _ => {}
            }
            b.driver.action_chain().send_keys(Key::Tab).perform().await.unwrap();
        }
        // The stops are in the order of the page, without the button that is only for Enter.
        let order = ["name", "description", "expires_type", "allow.0.net", "allow.0.on", "deny.0.net", "deny.0.on", "Create key"];
        let mut found = stops.iter();
        for stop in order {
            assert!(found.any(|at| at == stop), "{stop} in {stops:?}");
        }
        b.driver.action_chain().send_keys(Key::Enter).perform().await.unwrap();
        b.see("dialog #secret").await;
        // The popup takes the focus and keeps it.
        assert_eq!(focus().await, json!("Copy"));
        for _ in 0..6 {
            b.driver.action_chain().send_keys(Key::Tab).perform().await.unwrap();
            let inside = b.script("const e = document.activeElement; return e === document.body || !!e.closest('dialog')").await;
            assert_eq!(inside, json!(true));
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn enter_key_saves_form_without_pressing_row_buttons() {
    let site = Site::start().await;
    Browser::run(&site, PLAIN, async |b: Browser| {
        b.login("ulf").await;
        b.goto("/console/webhooks/new").await;
        b.fill("#url", "https://example.com/").await;
        b.fill("#name", "entered").await;
        b.press(Key::Enter).await;
        b.until("h1", "entered").await;
    })
    .await;
}
