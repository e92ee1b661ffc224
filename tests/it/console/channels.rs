//! Channels and retry schedule of a webhook in its form and on its page.

use examples::receiver::Receiver;
use tests::browser::form_input::new_webhook;
use tests::browser::{Site, Visitor};

const EDIT: &str = "/console/webhooks/1/edit";

async fn site() -> (Site, Visitor, Receiver) {
    let site = Site::start().await;
    let ulf = Visitor::login(&site, "ulf").await;
    let receiver = Receiver::start(None).await.unwrap();
    new_webhook(&ulf, &receiver, "3").await;
    (site, ulf, receiver)
}

fn fields<'a>(url: &'a str, more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let fields = [
        ("name", "chat"),
        ("url", url),
        ("auth", "none"),
        ("header_mode", "text"),
        ("headers_text", "Content-Type: application/json"),
        ("timeout", "3"),
        ("retries", "3"),
        ("enabled", "on"),
    ];
    [&fields[..], more].concat()
}

#[tokio::test]
async fn channels_and_delays_are_typed_shown_and_cleared() {
    let (_site, ulf, receiver) = site().await;
    let url = format!("http://{}/in", receiver.addr);
    let typed = [
        ("retry_schedule", "5s, 60, 10m"),
        ("channels", "project-7, billing"),
    ];
    let saved = ulf.submit(EDIT, &fields(&url, &typed)).await;
    assert_eq!(saved.status, 303, "{}", saved.html);
    let page = ulf.get("/console/webhooks/1").await;
    assert!(page.has("5s, 1m, 10m"), "{}", page.html);
    assert!(
        page.has("<code>billing</code> <code>project-7</code>"),
        "{}",
        page.html
    );
    let form = ulf.get(EDIT).await;
    assert!(form.has("value=\"5s, 1m, 10m\"") && form.has("value=\"billing, project-7\""));
    let empty = [("retry_schedule", ""), ("channels", "")];
    let cleared = ulf.submit(EDIT, &fields(&url, &empty)).await;
    assert_eq!(cleared.status, 303, "{}", cleared.html);
    let page = ulf.get("/console/webhooks/1").await;
    assert!(
        !page.has("Retry schedule") && !page.has("Channels"),
        "{}",
        page.html
    );
}

#[tokio::test]
async fn invalid_channels_and_retry_schedule_show_field_errors() {
    let (_site, ulf, receiver) = site().await;
    let url = format!("http://{}/in", receiver.addr);
    let typed = [("retry_schedule", "5s, soon"), ("channels", "a/b")];
    let refused = ulf.submit(EDIT, &fields(&url, &typed)).await;
    assert_eq!(refused.status, 422, "{}", refused.html);
    for said in [
        "id=\"retry_schedule-error\" data-error=\"retry_schedule\">Each delay must be a number with s, m, h or d, such as 30s, not soon",
        "id=\"channels-error\" data-error=\"channels\">Each must be 1 to 64 letters",
        "value=\"5s, soon\"",
        "value=\"a/b\"",
    ] {
        assert!(refused.has(said), "{said}: {}", refused.html);
    }
    // Only the engine knows the platform's limits.
    let many = "1s ".repeat(21);
    let refused = ulf
        .submit(EDIT, &fields(&url, &[("retry_schedule", &many)]))
        .await;
    assert_eq!(refused.status, 422, "{}", refused.html);
    assert!(
        refused.has(">Must be at most 20 delays"),
        "{}",
        refused.html
    );
}
