//! Refusals and the reasons of failed attempts are in the host's language as well.

mod typed;

use std::sync::Arc;

use examples::receiver::Receiver;
use gatepost_ids::Quota;
use tests::browser::form_input::{ON_TAG, new_event, new_task, new_webhook};
use tests::browser::{Page, Setup, Site, Visitor};

use self::typed::{EVENTS, KEYS, TASKS, WEBHOOKS};
use super::{left_of, made_up};

/// Starts a user's site, with a webhook, its task and an event.
async fn site(quota: Quota, receiver: &Receiver) -> (Site, Visitor) {
    let setup = Setup {
        texts: made_up(),
        quotas: Arc::new(quota),
        ..Setup::new()
    };
    let site = setup.start().await;
    let admin = Visitor::login(&site, "admin").await;
    new_webhook(&admin, receiver, "0").await;
    new_task(&admin, "x", &[]).await.expect(303);
    new_event(&admin, &ON_TAG).await.expect(303);
    (site, admin)
}

/// Returns the part of a refusal that cannot be translated. Typed values may be in it, and the
/// names of the site's webhook and task.
fn english(page: &Page, typed: &[(&str, &str)]) -> Vec<String> {
    let mut left = left_of(&page.html);
    left.retain(|text| !typed.iter().any(|(_, value)| value == text));
    left.retain(|text| !["chat", "tell"].contains(&&**text));
    left
}

/// Returns a form with all its fields, some of them replaced.
fn with<'a>(base: &[(&'a str, &'a str)], other: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let kept = base
        .iter()
        .filter(|(name, _)| !other.iter().any(|(replaced, _)| replaced == name));
    kept.chain(other).copied().collect()
}

#[tokio::test]
async fn field_errors_of_every_form_use_host_language() {
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
    let event = ON_TAG;
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
async fn whole_request_refusals_use_host_language() {
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
async fn disabled_task_refusals_use_host_language() {
    let receiver = Receiver::start(None).await.unwrap();
    let (_site, admin) = site(Quota::UNLIMITED, &receiver).await;
    let act = async |path: &str| admin.fill("/console/tasks/new", path, &[]).await;
    assert_eq!(act("/console/tasks/1/do/disable").await.status, 303);
    for path in ["tasks/1/do/run", "events/1/trigger"] {
        let page = act(&format!("/console/{path}")).await;
        assert_eq!(page.status, 409, "{path}");
        assert_eq!(english(&page, &[]), [""; 0], "{path}");
    }
}

#[tokio::test]
async fn attempt_failure_reasons_use_host_language() {
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
        let saved = admin.submit("/console/webhooks/new", &hook).await;
        saved.expect(303);
        let task = [("name", &*name), ("webhook", &at.to_string())];
        let form = [&task[..], &[("message", "x"), ("enabled", "on")]].concat();
        admin.submit("/console/tasks/new", &form).await;
        let run = format!("/console/tasks/{at}/do/run");
        let saved = admin.fill("/console/tasks/new", &run, &[]).await;
        saved.expect(303);
        site.ended(at - 1).await;
        let test = format!("/console/webhooks/{at}");
        for page in [&format!("/console/deliveries/{}", at - 1), &test] {
            let page = admin.get(page).await.expect(200);
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
