//! Channels and retry schedule of a webhook in its form and on its page.

use tests::browser::form_input::{chat, visited_with_webhook};

const EDIT: &str = "/console/webhooks/1/edit";

#[tokio::test]
async fn channels_and_delays_are_typed_shown_and_cleared() {
    let (_site, ulf, receiver) = visited_with_webhook("ulf", "3").await;
    let url = format!("http://{}/in", receiver.addr);
    let typed = [
        ("retry_schedule", "5s, 60, 10m"),
        ("channels", "project-7, billing"),
    ];
    ulf.submit(EDIT, &chat(&url, "3", &typed)).await.expect(303);
    let page = ulf.get("/console/webhooks/1").await;
    page.shows("5s, 1m, 10m");
    page.shows("<code>billing</code> <code>project-7</code>");
    let form = ulf.get(EDIT).await;
    assert!(form.has("value=\"5s, 1m, 10m\"") && form.has("value=\"billing, project-7\""));
    let empty = [("retry_schedule", ""), ("channels", "")];
    ulf.submit(EDIT, &chat(&url, "3", &empty)).await.expect(303);
    let page = ulf.get("/console/webhooks/1").await;
    page.hides("Retry schedule");
    page.hides("Channels");
}

#[tokio::test]
async fn invalid_channels_and_retry_schedule_show_field_errors() {
    let (_site, ulf, receiver) = visited_with_webhook("ulf", "3").await;
    let url = format!("http://{}/in", receiver.addr);
    let typed = [("retry_schedule", "5s, soon"), ("channels", "a/b")];
    let refused = ulf.submit(EDIT, &chat(&url, "3", &typed)).await.expect(422);
    refused.shows_all(["id=\"retry_schedule-error\" data-error=\"retry_schedule\">Each delay must be a number with s, m, h or d, such as 30s, not soon",
        "id=\"channels-error\" data-error=\"channels\">Each must be 1 to 64 letters",
        "value=\"5s, soon\"",
        "value=\"a/b\""]);
    // Only the engine knows the platform's limits.
    let many = "1s ".repeat(21);
    let refused = ulf
        .submit(EDIT, &chat(&url, "3", &[("retry_schedule", &many)]))
        .await
        .expect(422);
    refused.shows(">Must be at most 20 delays");
}
