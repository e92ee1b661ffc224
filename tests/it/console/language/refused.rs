//! What is refused, and why an attempt failed, is said in the host's language as well.

use std::sync::Arc;

use examples::receiver::Receiver;
use gatepost_ids::Quota;
use tests::browser::typed::{new_event, new_task, new_webhook};
use tests::browser::{Page, Setup, Site, Visitor};

use super::{left_of, made_up};

const LONG: &str = concat!(
    "0123456789012345678901234567890123456789012345678901234567890123456789",
    "0123456789012345678901234567890123456789012345678901234567890123456789"
);
const KEY: &str = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
const CERTIFICATE: &str = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

/// The field where the reason is, and what is typed into which fields.
type Refused = (&'static str, &'static [(&'static str, &'static str)]);

const KEYS: &[Refused] = &[
    ("name", &[("name", "")]),
    ("name", &[("name", "a\u{7}")]),
    ("name", &[("name", "a\u{202e}b")]),
    ("name", &[("name", LONG)]),
    ("description", &[("description", "a\u{7}")]),
    ("description", &[("description", "a\u{202e}b")]),
    ("expires", &[("expires_type", "date"), ("expires", "")]),
    ("expires", &[("expires_type", "date"), ("expires", "soon")]),
    (
        "expires",
        &[("expires_type", "date"), ("expires", "2001-01-01T00:00")],
    ),
    ("expires", &[("expires_type", "then")]),
    ("allow", &[("allow.0.net", "nowhere")]),
    ("allow", &[("allow.0.net", "10.0.0.010")]),
    ("allow", &[("allow.0.net", "10.0.0.0/255.0.0.0")]),
    ("allow", &[("allow.0.net", "10.0.0.0/33")]),
    ("deny", &[("deny.0.net", "10.0.0. 1")]),
    ("deny", &[("deny.0.net", "fe80::1%eth0")]),
    ("deny", &[("deny.0.net", "::ffff:10.0.0.0/8")]),
    ("tables", &[("tables", "No table")]),
    ("tables", &[("tables", "no_table")]),
    ("scopes", &[("scopes", "no scope")]),
    ("scopes", &[("scopes", "no_scope")]),
    ("requests_per_minute", &[("requests_per_minute", "0")]),
    ("user", &[("user", "99")]),
];

const WEBHOOKS: &[Refused] = &[
    ("name", &[("name", "")]),
    ("name", &[("name", " ")]),
    ("name", &[("name", "a\u{7}")]),
    ("name", &[("name", "a\u{202e}b")]),
    ("name", &[("name", LONG)]),
    ("url", &[("url", "")]),
    ("url", &[("url", "example.com")]),
    ("url", &[("url", "ftp://example.com/")]),
    ("url", &[("url", "http://")]),
    ("url", &[("url", "http://example.com:99999/")]),
    ("url", &[("url", "http://[::g]/")]),
    ("url", &[("url", "http://a b/")]),
    ("url", &[("url", "http://me:mine@example.com/")]),
    ("url", &[("url", "http://example.com/#here")]),
    ("auth", &[("auth", "magic")]),
    ("token", &[("auth", "bearer"), ("token", "Bearer abc")]),
    ("token", &[("auth", "bearer"), ("token", "a b")]),
    ("token", &[("auth", "bearer"), ("token", "")]),
    ("key", &[("auth", "apikey"), ("key", "ApiKey abc")]),
    ("key", &[("auth", "apikey"), ("key", "")]),
    (
        "user",
        &[("auth", "basic"), ("user", ""), ("password", "x")],
    ),
    (
        "user",
        &[("auth", "basic"), ("user", "a:b"), ("password", "x")],
    ),
    (
        "password",
        &[("auth", "basic"), ("user", "a\u{202e}b"), ("password", "x")],
    ),
    (
        "password",
        &[("auth", "basic"), ("user", "a"), ("password", "x\u{7}")],
    ),
    (
        "oauth_token_url",
        &[
            ("auth", "oauth2"),
            ("oauth_token_url", "http://example.com/token"),
            ("oauth_client_id", "a"),
            ("oauth_secret", "b"),
        ],
    ),
    (
        "oauth_token_url",
        &[
            ("auth", "oauth2"),
            ("oauth_token_url", ""),
            ("oauth_client_id", "a"),
            ("oauth_secret", "b"),
        ],
    ),
    (
        "oauth_client_id",
        &[
            ("auth", "oauth2"),
            ("oauth_token_url", "https://example.com/token"),
            ("oauth_client_id", ""),
            ("oauth_secret", "b"),
        ],
    ),
    (
        "oauth_scope",
        &[
            ("auth", "oauth2"),
            ("oauth_token_url", "https://example.com/token"),
            ("oauth_client_id", "a"),
            ("oauth_secret", "b"),
            ("oauth_scope", "a \"b"),
        ],
    ),
    (
        "client_certificate",
        &[("client_certificate", "none"), ("client_key", KEY)],
    ),
    (
        "client_certificate",
        &[("client_certificate", KEY), ("client_key", KEY)],
    ),
    (
        "client_key",
        &[("client_certificate", CERTIFICATE), ("client_key", "none")],
    ),
    (
        "client_certificate",
        &[("client_certificate", CERTIFICATE), ("client_key", KEY)],
    ),
    (
        "headers_text",
        &[("header_mode", "text"), ("headers_text", "no colon")],
    ),
    (
        "headers_text",
        &[("header_mode", "text"), ("headers_text", "A b: c")],
    ),
    (
        "headers_text",
        &[("header_mode", "text"), ("headers_text", "Host: here")],
    ),
    (
        "headers_text",
        &[("header_mode", "text"), ("headers_text", "X-A: ä")],
    ),
    (
        "headers_text",
        &[("header_mode", "text"), ("headers_text", "X-A: ${APIKEY}")],
    ),
    (
        "header",
        &[("header.0.name", "A b"), ("header.0.value", "c")],
    ),
    ("timeout", &[("timeout", "2")]),
    ("timeout", &[("timeout", "121")]),
    ("timeout", &[("timeout", "some")]),
    ("retries", &[("retries", "-1")]),
    ("retries", &[("retries", "101")]),
    ("retry_schedule", &[("retry_schedule", "often")]),
    ("retry_schedule", &[("retry_schedule", "2d")]),
    ("retry_schedule", &[("retry_schedule", ",")]),
    ("channels", &[("channels", "a, b!")]),
    ("rate", &[("rate", "0")]),
    ("delivery_mode", &[("delivery_mode", "carry")]),
];

const TASKS: &[Refused] = &[
    ("name", &[("name", "")]),
    ("name", &[("name", LONG)]),
    ("description", &[("description", "a\u{7}")]),
    ("webhook", &[("webhook", "99")]),
    ("webhook", &[("webhook", "")]),
];

const EVENTS: &[Refused] = &[
    ("event", &[("event", "explode")]),
    ("event", &[("event", "")]),
    ("target", &[("target", "all")]),
    ("instance", &[("target", "instance"), ("instance", "none")]),
    ("tag", &[("target", "tag"), ("tag", "0")]),
    ("task", &[("task", "99")]),
    ("label", &[("label", "a\u{202e}b")]),
    ("label", &[("label", LONG)]),
    ("filter", &[("filter", "[]")]),
    ("filter", &[("filter", "{\"a\":[1]}")]),
    ("filter", &[("filter", "{\"a\":{\"$in\":1}}")]),
    ("filter", &[("filter", "{\"a\":{\"$near\":1}}")]),
    ("filter", &[("filter", "{\"a\":{\"$gt\":null}}")]),
    ("filter", &[("filter", "{\"a\":{\"$exists\":1}}")]),
    ("filter", &[("filter", "{\"$or\":1}")]),
    ("filter", &[("filter", "{\"$in\":[1]}")]),
    ("filter", &[("filter", "{\"a\":{\"$eq\":[]}}")]),
    ("filter", &[("filter", "{\"a..b\":1}")]),
];

/// The user's site, with a webhook, a task of it and an event.
async fn site(quota: Quota, receiver: &Receiver) -> (Site, Visitor) {
    let setup = Setup {
        texts: made_up(),
        quotas: Arc::new(quota),
        ..Setup::new()
    };
    let site = setup.start().await;
    let admin = Visitor::login(&site, "admin").await;
    new_webhook(&admin, receiver, "0").await;
    let made = new_task(&admin, "x", &[]).await;
    assert_eq!(made.status, 303, "{}", made.html);
    let event = [
        ("event", "poweron"),
        ("target", "tag"),
        ("tag", "1"),
        ("task", "1"),
    ];
    let made = new_event(&admin, &event).await;
    assert_eq!(made.status, 303, "{}", made.html);
    (site, admin)
}

/// What of a refusal cannot be translated. What was typed may be in it, and the names of the site's
/// webhook and task.
fn english(page: &Page, typed: &[(&str, &str)]) -> Vec<String> {
    let mut left = left_of(&page.html);
    left.retain(|text| !typed.iter().any(|(_, value)| value == text));
    left.retain(|text| !["chat", "tell"].contains(&&**text));
    left
}

/// A form with all its fields, of which some are replaced.
fn with<'a>(base: &[(&'a str, &'a str)], other: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let kept = base
        .iter()
        .filter(|(name, _)| !other.iter().any(|(replaced, _)| replaced == name));
    kept.chain(other).copied().collect()
}

#[tokio::test]
async fn each_form_refuses_each_field_in_the_hosts_language() {
    let receiver = Receiver::start(None).await.unwrap();
    let (_site, admin) = site(Quota::UNLIMITED, &receiver).await;
    let key = [("name", "k"), ("expires_type", "30"), ("user", "1")];
    let hook = [
        ("name", "w"),
        ("url", "http://example.com/"),
        ("auth", "none"),
        ("header_mode", "rows"),
        ("timeout", "5"),
        ("retries", "0"),
    ];
    let task = [("name", "t"), ("webhook", "1"), ("message", "x")];
    let event = [
        ("event", "poweron"),
        ("target", "tag"),
        ("tag", "1"),
        ("task", "1"),
    ];
    let forms = [
        ("/console/keys/new", "/console/keys/new", &key[..], KEYS),
        (
            "/console/webhooks/new",
            "/console/webhooks/new",
            &hook[..],
            WEBHOOKS,
        ),
        ("/console/tasks/new", "/console/tasks/new", &task[..], TASKS),
        (
            "/console/events/new?type=vms",
            "/console/events/new",
            &event[..],
            EVENTS,
        ),
    ];
    let mut left = Vec::new();
    for (form, action, base, all) in forms {
        for (field, typed) in all {
            let page = admin.fill(form, action, &with(base, typed)).await;
            assert_eq!(page.status, 422, "{action} {typed:?}: {}", page.html);
            let said = page.error(field);
            assert!(said.contains('⟦'), "{action} {field} {typed:?}: {said:?}");
            left.extend(english(&page, typed));
        }
    }
    assert!(left.is_empty(), "{left:#?}");
}

#[tokio::test]
async fn what_is_refused_as_a_whole_is_said_in_the_hosts_language() {
    let receiver = Receiver::start(None).await.unwrap();
    let quota = Quota::default()
        .with_webhooks(1)
        .with_tasks(1)
        .with_events(1)
        .with_runs_per_minute(1);
    let (site, admin) = site(quota, &receiver).await;
    let url = format!("http://{}/in", receiver.addr);
    let hook = [
        ("name", "w"),
        ("url", &*url),
        ("auth", "none"),
        ("header_mode", "rows"),
        ("timeout", "5"),
        ("retries", "0"),
    ];
    let event = [
        ("event", "poweron"),
        ("target", "tag"),
        ("tag", "2"),
        ("task", "1"),
    ];
    let act = async |path: &str| admin.fill("/console/tasks/new", path, &[]).await;
    let mut left = Vec::new();
    let mut refused = |page: Page, status: u16| {
        assert_eq!(page.status, status, "{}", page.html);
        left.extend(english(&page, &[("name", "w"), ("url", &url)]));
    };
    refused(admin.submit("/console/webhooks/new", &hook).await, 422);
    refused(new_task(&admin, "x", &[("name", "more")]).await, 422);
    refused(new_event(&admin, &event).await, 422);
    refused(act("/console/webhooks/1/delete").await, 409);
    assert_eq!(act("/console/tasks/1/do/run").await.status, 303);
    site.ended(1).await;
    refused(act("/console/tasks/1/do/run").await, 429);
    refused(act("/console/deliveries/1/cancel").await, 409);
    assert!(left.is_empty(), "{left:#?}");
}

#[tokio::test]
async fn what_a_disabled_task_refuses_is_said_in_the_hosts_language() {
    let receiver = Receiver::start(None).await.unwrap();
    let (_site, admin) = site(Quota::UNLIMITED, &receiver).await;
    let act = async |path: &str| admin.fill("/console/tasks/new", path, &[]).await;
    assert_eq!(act("/console/tasks/1/do/disable").await.status, 303);
    for path in ["tasks/1/do/run", "events/1/do/trigger"] {
        let page = act(&format!("/console/{path}")).await;
        assert_eq!(page.status, 409, "{path}");
        assert_eq!(english(&page, &[]), [""; 0], "{path}");
    }
}

#[tokio::test]
async fn why_an_attempt_failed_is_said_in_the_hosts_language() {
    let receiver = Receiver::start(None).await.unwrap();
    let (site, admin) = site(Quota::UNLIMITED, &receiver).await;
    let mut left = Vec::new();
    let targets = [
        "http://127.0.0.1:1/",
        "http://nobody.invalid/",
        "http://inside.internal/",
        "https://127.0.0.1:1/",
    ];
    for (at, url) in (2..).zip(targets) {
        let name = format!("w{at}");
        let hook = [
            ("name", &*name),
            ("url", url),
            ("auth", "none"),
            ("header_mode", "rows"),
            ("timeout", "5"),
            ("retries", "0"),
            ("enabled", "on"),
        ];
        let made = admin.submit("/console/webhooks/new", &hook).await;
        assert_eq!(made.status, 303, "{}", made.html);
        let task = [("name", &*name), ("webhook", &at.to_string())];
        let form = [&task[..], &[("message", "x"), ("enabled", "on")]].concat();
        admin.submit("/console/tasks/new", &form).await;
        let run = format!("/console/tasks/{at}/do/run");
        let ran = admin.fill("/console/tasks/new", &run, &[]).await;
        assert_eq!(ran.status, 303, "{}", ran.html);
        site.ended(at - 1).await;
        let test = format!("/console/webhooks/{at}");
        let typed = [("message", "x"), ("name", "y")];
        for page in [
            admin.get(&format!("/console/deliveries/{}", at - 1)).await,
            admin.get(&test).await,
            admin.fill(&test, &format!("{test}/test"), &typed).await,
        ] {
            assert_eq!(page.status, 200, "{}", page.html);
            left.extend(english(&page, &[("name", &name), ("url", url)]));
        }
    }
    for path in ["/console/deliveries", "/console/webhooks", "/console/"] {
        left.extend(english(&admin.get(path).await, &[]));
    }
    let made_by_test = ["w2", "w3", "w4", "w5"];
    left.retain(|text| !made_by_test.contains(&&**text));
    assert!(left.is_empty(), "{left:#?}");
}
