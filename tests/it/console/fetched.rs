//! A webhook whose messages are fetched, in its form, on its page and in the lists.

use tests::browser::form_input::{chat, visited_with_webhook};

const EDIT: &str = "/console/webhooks/1/edit";

#[tokio::test]
async fn fetch_mode_is_set_in_form_and_explained() {
    let (site, ulf, receiver) = visited_with_webhook("ulf", "3").await;
    let url = format!("http://{}/in", receiver.addr);
    let page = ulf.get("/console/webhooks/1").await;
    page.shows("Send test");
    page.hides("Fetch messages");
    let fetched = [("delivery_mode", "fetch")];
    ulf.submit(EDIT, &chat(&url, "3", &fetched))
        .await
        .expect(303);
    let page = ulf.get("/console/webhooks/1").await;
    page.shows_all([
        "fetched by the receiver",
        "Fetch messages",
        "/api/v4/webhook_urls/1/messages?after=CURSOR",
        &format!("'http://{}", site.addr),
    ]);
    page.hides("Send test");
    let form = ulf.get(EDIT).await;
    form.shows("value=\"fetch\" checked");
    // A form without the field leaves the mode unchanged.
    ulf.submit(EDIT, &chat(&url, "3", &[])).await.expect(303);
    assert!(ulf.get(EDIT).await.has("value=\"fetch\" checked"));
    let pushed = [("delivery_mode", "push")];
    ulf.submit(EDIT, &chat(&url, "3", &pushed))
        .await
        .expect(303);
    assert!(ulf.get("/console/webhooks/1").await.has("Send test"));
}

#[tokio::test]
async fn unknown_delivery_mode_shows_field_error() {
    let (_site, ulf, receiver) = visited_with_webhook("ulf", "3").await;
    let url = format!("http://{}/in", receiver.addr);
    let other = [("delivery_mode", "pigeon")];
    let refused = ulf.submit(EDIT, &chat(&url, "3", &other)).await.expect(422);
    assert_eq!(refused.error("delivery_mode"), "Must be push or fetch.");
}
