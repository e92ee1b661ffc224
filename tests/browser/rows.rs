//! The form of a webhook in a real browser: headers that are moved, and fields that appear with a
//! choice, with and without scripts.

use serde_json::json;
use tests::browser::{Browser, Look, Site};

const PLAIN: Look = Look {
    width: 1200,
    dark: false,
    scripts: false,
};

async fn send(b: &Browser) {
    b.click("form.main .submit .primary").await;
}

/// Moves the third of three headers to the top and removes the second; then switches to text and
/// back.
async fn reorder(b: Browser, scripts: bool) {
    let press = async |css: &str| {
        if scripts {
            b.click(css).await;
        } else {
            b.turn(css).await;
        }
    };
    b.login("ulf").await;
    b.goto("/console/webhooks/new").await;
    b.fill("#name", "ordered").await;
    b.fill("#url", "https://example.com/").await;
    for (row, name) in [(1, "X-B"), (2, "X-C")] {
        press("[data-rows=header] [value^='header.add']").await;
        b.fill(
            &format!(
                "[data-rows=header] .row:nth-of-type({}) [name$='.name']",
                row + 1
            ),
            name,
        )
        .await;
        b.fill(
            &format!(
                "[data-rows=header] .row:nth-of-type({}) [name$='.value']",
                row + 1
            ),
            "v",
        )
        .await;
    }
    let third =
        |what: &str| format!("[data-rows=header] .row:nth-of-type(3) [value^='header.{what}']");
    press(&third("up")).await;
    press("[data-rows=header] .row:nth-of-type(2) [value^='header.up']").await;
    press(&third("remove")).await;
    assert_eq!(
        b.value("[data-rows=header] .row:nth-of-type(1) [name$='.name']")
            .await,
        "X-C"
    );
    assert_eq!(b.value("#name").await, "ordered");
    send(&b).await;
    b.until(".note", "The webhook was created").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn headers_are_added_moved_removed_without_scripts_too() {
    for look in [Look::default(), PLAIN] {
        let site = Site::start().await;
        Browser::run(&site, look, async move |b| reorder(b, look.scripts).await).await;
        let stored = site.webhook(1).await;
        let expected = "X-C:v\nContent-Type:application/json\n";
        assert_eq!(
            stored.headers.to_string(),
            expected,
            "scripts: {}",
            look.scripts
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn header_rows_and_header_text_are_equivalent() {
    let site = Site::start().await;
    Browser::run(&site, Look::default(), async |b: Browser| {
        b.login("ulf").await;
        b.goto("/console/webhooks/new").await;
        b.fill("[name='header.0.value']", "text/plain").await;
        b.click("[name=header_mode][value=text]").await;
        assert_eq!(b.value("#headers_text").await, "Content-Type: text/plain\n");
        b.fill("#headers_text", "A: 1\n\nB: x: y\n").await;
        b.click("[name=header_mode][value=rows]").await;
        let rows = b.script("return [...document.querySelectorAll('[data-rows=header] .row')].map(r => [...r.querySelectorAll('input')].map(i => i.value).join('='))").await;
        assert_eq!(rows, json!(["A=1", "B=x: y"]));
        assert_eq!(b.complaints().await, Vec::<String>::new());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn authorization_type_switches_fields_and_insecure_warns() {
    for look in [Look::default(), PLAIN] {
        let site = Site::start().await;
        Browser::run(&site, look, async |b: Browser| {
            b.login("ulf").await;
            b.goto("/console/webhooks/new").await;
            for (kind, shown) in [
                ("none", ""),
                ("bearer", "#token"),
                ("apikey", "#key"),
                ("basic", "#password"),
            ] {
                b.click(&format!("[name=auth][value={kind}]")).await;
                for field in ["#token", "#key", "#password"] {
                    assert_eq!(b.shows(field).await, field == shown, "{kind}: {field}");
                }
            }
            let kind = b.see("#password").await.attr("type").await.unwrap();
            assert_eq!(kind.as_deref(), Some("password"));
            assert!(!b.shows(".when.insecure").await);
            b.click("[name=insecure]").await;
            assert!(
                b.text(".when.insecure")
                    .await
                    .contains("For test and development only")
            );
        })
        .await;
    }
}

/// Arrows move over the options between: the page stays until the form's button is pressed.
#[tokio::test(flavor = "multi_thread")]
async fn keys_pass_over_choices_without_leaving_the_page() {
    let site = Site::start().await;
    Browser::run(&site, Look::default(), async |b: Browser| {
        b.login("ulf").await;
        b.goto("/console/events/new").await;
        assert!(!b.shows("form[method=get] button").await);
        b.script("document.getElementById('type').focus()").await;
        b.press(thirtyfour::Key::Down).await;
        b.press(thirtyfour::Key::Down).await;
        let chosen = b.value("#type").await;
        assert_eq!(b.path().await, "/console/events/new", "{chosen}");
        b.turn("form[method=get] button").await;
        assert_eq!(b.value("#type").await, chosen);
        b.see("#event").await;
    })
    .await;
}
