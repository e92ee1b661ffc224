//! A webhook whose messages are fetched, in its form, on its page and in the lists.

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
async fn fetch_mode_is_set_in_form_and_explained() {
    let (site, ulf, receiver) = site().await;
    let url = format!("http://{}/in", receiver.addr);
    let page = ulf.get("/console/webhooks/1").await;
    assert!(
        page.has("Send test") && !page.has("Fetch messages"),
        "{}",
        page.html
    );
    let fetched = [("delivery_mode", "fetch")];
    let saved = ulf.submit(EDIT, &fields(&url, &fetched)).await;
    assert_eq!(saved.status, 303, "{}", saved.html);
    let page = ulf.get("/console/webhooks/1").await;
    for text in [
        "fetched by the receiver",
        "Fetch messages",
        "/api/v4/webhook_urls/1/messages?after=CURSOR",
        &format!("'http://{}", site.addr),
    ] {
        assert!(page.has(text), "{text}: {}", page.html);
    }
    assert!(!page.has("Send test"), "{}", page.html);
    let form = ulf.get(EDIT).await;
    assert!(form.has("value=\"fetch\" checked"), "{}", form.html);
    // A form without the field leaves the mode unchanged.
    let kept = ulf.submit(EDIT, &fields(&url, &[])).await;
    assert_eq!(kept.status, 303, "{}", kept.html);
    assert!(ulf.get(EDIT).await.has("value=\"fetch\" checked"));
    let pushed = [("delivery_mode", "push")];
    assert_eq!(ulf.submit(EDIT, &fields(&url, &pushed)).await.status, 303);
    assert!(ulf.get("/console/webhooks/1").await.has("Send test"));
}

#[tokio::test]
async fn unknown_delivery_mode_shows_field_error() {
    let (_site, ulf, receiver) = site().await;
    let url = format!("http://{}/in", receiver.addr);
    let other = [("delivery_mode", "pigeon")];
    let refused = ulf.submit(EDIT, &fields(&url, &other)).await;
    assert_eq!(refused.status, 422, "{}", refused.html);
    assert_eq!(refused.error("delivery_mode"), "Must be push or fetch.");
}
