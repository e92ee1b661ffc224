//! An edit that conflicts with another: nothing is saved, both values are shown, and the user
//! chooses.

use tests::browser::form_input::{hook, new_event, new_key, new_task, visited_with_webhook};
use tests::browser::{Page, Site, Visitor};

/// Sends a form from a page that was opened earlier.
async fn send(visitor: &Visitor, path: &str, page: &Page, fields: &[(&str, &str)]) -> Page {
    let hidden = page.hidden();
    let hidden = hidden.iter();
    let hidden = hidden.map(|(name, value)| (name.as_str(), value.as_str()));
    let hidden = hidden.filter(|(name, _)| !fields.iter().any(|(given, _)| given == name));
    let all: Vec<_> = hidden.chain(fields.iter().copied()).collect();
    visitor.post(path, &all).await
}

#[tokio::test]
async fn conflicting_webhook_edit_is_saved_after_choice() {
    let (site, ulf) = Site::visited_by("ulf").await;
    let path = "/console/webhooks/1/edit";
    let url = "https://example.com/in";
    ulf.submit("/console/webhooks/new", &hook(url, &[])).await;
    let first = ulf.get(path).await;
    let theirs = [("name", "theirs"), ("timeout", "30"), ("in_order", "on")];
    let saved = ulf.submit(path, &hook(url, &theirs)).await;
    saved.leads_to("/console/webhooks/1?done=saved");

    let mine = hook(url, &[("name", "mine"), ("retries", "9")]);
    let page = send(&ulf, path, &first, &mine).await.expect(409);
    assert!(page.has("Somebody else changed this while you edited it."));
    for (field, choice, value) in [
        ("name", "typed", "theirs"),
        ("name", "typed", "mine"),
        ("timeout", "stored", "30"),
        ("timeout", "stored", "5"),
        ("in_order", "stored", "on"),
        ("in_order", "stored", "empty"),
    ] {
        let chosen = format!("name=\"take.{field}\" value=\"{choice}\" checked");
        assert!(page.has(&chosen), "{field}: {}", page.html);
        let choices = page
            .html
            .split(&format!("id=\"take.{field}.stored\""))
            .nth(1);
        let choices = choices.unwrap().split("</fieldset>").next().unwrap();
        assert!(choices.contains(value), "{field}: {choices}");
    }
    assert!(!page.has("take.retries") && !page.has("take.url") && !page.has("take.header"));
    let list = ulf.get("/console/webhooks").await;
    assert!(list.has("theirs") && !list.has("mine"));

    let chosen = [
        ("name", "mine"),
        ("retries", "9"),
        ("take.name", "typed"),
        ("take.timeout", "stored"),
        ("take.in_order", "stored"),
    ];
    let saved = send(&ulf, path, &page, &hook(url, &chosen)).await;
    saved.leads_to("/console/webhooks/1?done=saved");
    let row = site.engine.webhook(webhook_model::WebhookId(1)).await;
    let webhook = row.unwrap().unwrap().value;
    assert_eq!(webhook.name.as_str(), "mine");
    assert_eq!((webhook.timeout.as_secs(), webhook.retries.get()), (30, 9));
    assert_eq!(webhook.order, webhook_model::DeliveryOrder::InOrder);
}

#[tokio::test]
async fn pause_between_form_and_save_is_no_conflict() {
    let (site, ulf) = Site::visited_by("ulf").await;
    let path = "/console/webhooks/1/edit";
    let form = hook("https://example.com/in", &[]);
    ulf.submit("/console/webhooks/new", &form).await;
    let first = ulf.get(path).await;
    let paused = site.engine.pause_webhook(webhook_model::WebhookId(1));
    paused.await.unwrap();
    let saved = send(&ulf, path, &first, &form).await;
    saved.leads_to("/console/webhooks/1?done=saved");
    let row = site.engine.webhook(webhook_model::WebhookId(1)).await;
    let webhook = row.unwrap().unwrap().value;
    assert_eq!(webhook.activity, webhook_model::Activity::Paused);
}

#[tokio::test]
async fn conflicting_edits_of_records_overwrite_nothing() {
    let (_site, ulf, _receiver) = visited_with_webhook("ulf", "0").await;
    new_task(&ulf, "a\nb", &[]).await;
    new_key(&ulf, "ci").await;
    let event = |label| {
        let target = [("target", "tag"), ("tag", "1"), ("task", "1")];
        [&[("event", "poweron"), ("label", label)][..], &target].concat()
    };
    new_event(&ulf, &event("first")).await;
    let task = |name, message| {
        let fixed = [("webhook", "1"), ("enabled", "on"), ("description", "")];
        let own = [("name", name), ("message", message)];
        [own.to_vec(), fixed.to_vec()].concat()
    };
    let key = |name, description| {
        vec![
            ("name", name),
            ("description", description),
            ("expires_type", "keep"),
        ]
    };
    for (path, theirs, mine, field) in [
        (
            "/console/tasks/1/edit",
            task("tell", "theirs"),
            task("mine", "a\r\nb"),
            "message",
        ),
        (
            "/console/keys/1/edit",
            key("ci", "theirs"),
            key("ci", "mine"),
            "description",
        ),
        (
            "/console/events/1/edit",
            event("theirs"),
            event("mine"),
            "label",
        ),
    ] {
        let first = ulf.get(path).await;
        let saved = ulf.submit(path, &theirs).await;
        assert!(saved.to().contains("done=saved"), "{path}: {}", saved.html);
        let page = send(&ulf, path, &first, &mine).await;
        assert_eq!(page.status, 409, "{path}: {}", page.html);
        assert!(page.has(&format!("take.{field}")) && page.has("theirs"));
        assert_eq!(
            page.html.matches("<legend>").count() - first.html.matches("<legend>").count(),
            1
        );
        // Without a choice the typed value is saved.
        let saved = send(&ulf, path, &page, &mine).await;
        assert!(saved.to().contains("done=saved"), "{path}: {}", saved.html);
        assert!(!ulf.get(path).await.has("theirs"), "{path}");
    }
}
