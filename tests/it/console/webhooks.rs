//! The pages of webhooks (SPEC 2.2), without a browser.

use tests::browser::Site;
use tests::browser::form_input::hook;
use webhook_model::{Authorization, DeliveryOrder, WebhookId, WebhookName};

const NEW: &str = "/console/webhooks/new";
const MASK: &str = "••••••••";

/// A field, the typed value, and the rule that it breaks.
type Wrong = (
    &'static str,
    &'static [(&'static str, &'static str)],
    &'static str,
);

#[tokio::test]
async fn webhook_is_stored_as_typed_and_secrets_hidden() {
    let (site, ulf) = Site::visited_by("ulf").await;
    assert!(ulf.get("/console/webhooks").await.has("No webhooks yet"));
    let more = [
        ("auth", "basic"),
        ("user", "bot"),
        ("password", "p:4ss-w0rd"),
        ("timeout", "30"),
        ("retries", "7"),
        ("rate", "20"),
        ("in_order", "on"),
        ("insecure", "on"),
        ("header.0.name", "X-Route"),
        ("header.0.value", "b"),
        ("header.3.name", "X-Token"),
        ("header.3.value", "t0k3n-s3cret"),
        ("header.1.name", "X-Route"),
        ("header.1.value", "a"),
    ];
    let page = ulf
        .submit(NEW, &hook("https://example.com/in", &more))
        .await;
    page.leads_to("/console/webhooks/1?done=created");
    let webhook = site.webhook(1).await;
    assert_eq!(
        webhook.headers.to_string(),
        "X-Route:b\nX-Token:t0k3n-s3cret\nX-Route:a\n"
    );
    assert!(
        matches!(&webhook.authorization, Authorization::Basic { user, password } if user == "bot" && password.expose() == "p:4ss-w0rd")
    );
    assert_eq!(
        (
            webhook.timeout.as_secs(),
            webhook.retries.get(),
            webhook.rate.unwrap().get().get()
        ),
        (30, 7, 20)
    );
    assert_eq!(
        (webhook.order, webhook.allow_insecure),
        (DeliveryOrder::InOrder, true)
    );
    for path in [
        "/console/webhooks",
        "/console/webhooks/1",
        "/console/webhooks/1/edit",
        "/console/",
    ] {
        let page = ulf.get(path).await;
        assert_eq!(page.status, 200, "{path}");
        for secret in ["p:4ss-w0rd", "t0k3n-s3cret"] {
            assert!(!page.has(secret), "{path} shows {secret}");
        }
    }
    let edit = ulf.get("/console/webhooks/1/edit").await;
    edit.shows("value=\"bot\"");
    edit.shows(MASK);
    edit.shows("The stored value is not shown");
}

#[tokio::test]
async fn webhook_edit_keeps_omitted_secrets_and_replaces_typed() {
    let (site, ulf) = Site::visited_by("ulf").await;
    let more = [
        ("auth", "bearer"),
        ("token", "old-token"),
        ("header.0.name", "X-Token"),
        ("header.0.value", "one"),
        ("header.1.name", "X-Token"),
        ("header.1.value", "two"),
    ];
    ulf.submit(NEW, &hook("https://example.com/in", &more))
        .await;
    let edit = "/console/webhooks/1/edit";
    // The headers swapped, a new one between them, the secrets masked; as text.
    let text = format!("X-Token: {MASK}\r\nX-New: 1\r\nx-token: {MASK}\r\n");
    let more = [
        ("auth", "bearer"),
        ("header_mode", "text"),
        ("headers_text", text.as_str()),
        ("retries", "2"),
    ];
    let page = ulf
        .submit(edit, &hook("https://example.com/in", &more))
        .await;
    page.leads_to("/console/webhooks/1?done=saved");
    let webhook = site.webhook(1).await;
    assert_eq!(
        webhook.headers.to_string(),
        "X-Token:one\nX-New:1\nx-token:two\n"
    );
    assert!(
        matches!(&webhook.authorization, Authorization::Bearer(token) if token.expose() == "old-token")
    );
    ulf.submit(
        edit,
        &hook(
            "https://example.com/in",
            &[("auth", "bearer"), ("token", "new-token")],
        ),
    )
    .await;
    let webhook = site.webhook(1).await;
    assert!(
        matches!(&webhook.authorization, Authorization::Bearer(token) if token.expose() == "new-token")
    );
    assert!(webhook.headers.is_empty());
    // Another type has another secret: it does not reuse the old one.
    let page = ulf
        .submit(edit, &hook("https://example.com/in", &[("auth", "apikey")]))
        .await;
    assert_eq!(
        (page.status, page.error("key").as_str()),
        (422, "Required with this authorization type.")
    );
    // A mask without a stored value is invalid.
    let mask = [("header.0.name", "X-Token"), ("header.0.value", MASK)];
    let page = ulf
        .submit(edit, &hook("https://example.com/in", &mask))
        .await;
    assert!(
        page.error("header")
            .starts_with("Line 1: no stored value has this name"),
        "{}",
        page.error("header")
    );
}

#[tokio::test]
async fn invalid_webhook_form_marks_fields_and_keeps_input() {
    let (site, ulf) = Site::visited_by("ulf").await;
    ulf.submit(NEW, &hook("https://example.com/", &[("name", "taken")]))
        .await;
    let cases: [Wrong; 14] = [
        ("name", &[("name", "")], "Required."),
        (
            "name",
            &[("name", "taken")],
            "Another webhook already has this name.",
        ),
        ("url", &[("url", "ftp://x/")], "Must begin with http"),
        ("url", &[("url", "https://me:pw@example.com/")], ""),
        ("timeout", &[("timeout", "2")], "Must be 3 or greater."),
        ("timeout", &[("timeout", "soon")], "Must be a whole number."),
        ("retries", &[("retries", "101")], "Must be 100 or less."),
        ("retries", &[("retries", "-1")], "Must be 0 or greater."),
        ("rate", &[("rate", "0")], "Must be 1 to 10000"),
        (
            "token",
            &[("auth", "bearer"), ("token", "Bearer abc")],
            "Must be only the token",
        ),
        (
            "user",
            &[("auth", "basic"), ("user", "a:b"), ("password", "x")],
            "Must not have a colon",
        ),
        (
            "header",
            &[
                ("header.0.name", "X-Ok"),
                ("header.0.value", "1"),
                ("header.5.name", "Host"),
                ("header.5.value", "x"),
            ],
            "Line 2: sets a header that only",
        ),
        (
            "headers_text",
            &[
                ("header_mode", "text"),
                ("headers_text", "X-Ok: 1\r\n\r\nno colon here\r\n"),
            ],
            "Line 3: must be 'Name: value'.",
        ),
        (
            "header",
            &[
                ("header.0.name", "X-Two"),
                ("header.0.value", "1\r\nX-Smuggled: 2"),
            ],
            "A header must not contain line breaks.",
        ),
    ];
    for (field, wrong, rule) in cases {
        let fields = hook("https://example.com/in?kept=1", wrong);
        let page = ulf.submit(NEW, &fields).await;
        assert_eq!(page.status, 422, "{field} {wrong:?}");
        let error = page.error(field);
        assert!(
            !error.is_empty() && error.starts_with(rule),
            "{field} {wrong:?}: {error:?}"
        );
        // The summary names the field as its label does.
        let named = page.html.split(&format!("href=\"#{field}\">")).nth(1);
        let named = named.unwrap().split("</a>").next().unwrap();
        let label = [
            format!("<label for=\"{field}\">{named}<"),
            format!("<legend>{named}<"),
        ];
        assert!(
            label.iter().any(|label| page.has(label)),
            "{named}: {}",
            page.html
        );
        for (name, typed) in &fields {
            let secret = ["token", "key", "password"].contains(name);
            let shown = typed.replace('&', "&amp;").replace("\r\n", "\n");
            assert_eq!(
                page.has(&format!("value=\"{shown}\""))
                    || page.has(&format!("\n{shown}"))
                    || typed.contains('\r')
                    || *typed == "on",
                !secret,
                "{name}={typed} after {field}"
            );
        }
    }
    assert_eq!(site.heard().len(), 1);
}

#[tokio::test]
async fn headers_are_reordered_without_a_script() {
    let (site, ulf) = Site::visited_by("ulf").await;
    let more = [
        ("header.0.name", "A"),
        ("header.0.value", "1"),
        ("header.1.name", "B"),
        ("header.1.value", "2"),
        ("do", "header.up.1"),
    ];
    let page = ulf.submit(NEW, &hook("https://example.com/", &more)).await;
    assert_eq!(page.status, 200);
    page.shows("name=\"header.0.name\" value=\"B\"");
    page.shows("name=\"header.1.name\" value=\"A\"");
    assert!(site.heard().is_empty());
}

#[tokio::test]
async fn webhook_moved_to_another_server_requires_secrets_again() {
    let (site, ulf) = Site::visited_by("ulf").await;
    let more = [
        ("auth", "basic"),
        ("user", "bot"),
        ("password", "p4ss"),
        ("sign", "on"),
        ("header.0.name", "X-Token"),
        ("header.0.value", "t0ken-s3cret"),
    ];
    let made = ulf
        .submit(NEW, &hook("https://example.com/in", &more))
        .await;
    made.shows("signing secret");
    let edit = "/console/webhooks/1/edit";
    assert!(!ulf.get(edit).await.has("unsign"), "nothing is asked yet");
    let masked = [
        ("auth", "basic"),
        ("user", "bot"),
        ("header.0.name", "X-Token"),
        ("header.0.value", MASK),
    ];
    let insecure = [&masked[..], &[("insecure", "on")]].concat();
    for (url, fields) in [
        ("https://evil.example/", &masked[..]),
        ("http://example.com/in", &masked[..]),
        ("https://example.com/in", &insecure[..]),
    ] {
        let page = ulf.submit(edit, &hook(url, fields)).await;
        assert_eq!(page.status, 422, "{url}");
        for field in ["auth", "header"] {
            let asked = page.error(field);
            assert!(
                asked.contains("target has changed"),
                "{url} {field}: {asked}"
            );
        }
        assert!(page.has("name=\"unsign\""), "{url}");
        for secret in ["p4ss", "t0ken-s3cret"] {
            assert!(!page.has(secret), "{url}");
        }
    }
    assert_eq!(site.webhook(1).await.url.as_str(), "https://example.com/in");
    // Missing secrets are still required; typed or removed ones are not.
    let typed = [
        ("auth", "basic"),
        ("user", "bot"),
        ("password", "p4ss"),
        ("header.0.name", "X-Token"),
        ("header.0.value", "another"),
    ];
    let page = ulf
        .submit(edit, &hook("https://evil.example/", &typed))
        .await;
    assert_eq!((page.status, page.error("auth").as_str()), (422, ""));
    let all = [&typed[..], &[("unsign", "on")]].concat();
    let page = ulf.submit(edit, &hook("https://evil.example/", &all)).await;
    page.leads_to("/console/webhooks/1?done=saved");
    let webhook = site.webhook(1).await;
    assert_eq!(webhook.headers.to_string(), "X-Token:another\n");
    assert!(webhook.signing.is_empty());
}

#[tokio::test]
async fn misleading_name_is_refused_and_old_one_marked() {
    let (site, ulf) = Site::visited_by("ulf").await;
    let name = [("name", "x\u{202e}gnp.exe")];
    let page = ulf
        .submit(NEW, &hook("https://example.com/in", &name))
        .await;
    assert_eq!(page.status, 422);
    assert!(
        page.error("name").contains("U+202E"),
        "{}",
        page.error("name")
    );
    ulf.submit(NEW, &hook("https://example.com/in", &[])).await;
    let old = WebhookName::stored("x\u{202e}gnp.exe").unwrap();
    let edited = site.engine.edit_webhook(WebhookId(1), |webhook| {
        webhook.name = old.clone();
        Ok(())
    });
    edited.await.unwrap();
    for path in [
        "/console/webhooks",
        "/console/webhooks/1",
        "/console/tasks/new",
    ] {
        let page = ulf.get(path).await;
        assert!(page.has("x[U+202E]gnp.exe"), "{path}");
        assert!(!page.has("\u{202e}"), "{path}");
    }
}
