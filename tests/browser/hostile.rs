//! Hostile texts in every field that takes text: they are shown as they were typed, and never as
//! anything but text.

use std::sync::Arc;

use async_trait::async_trait;
use axum::Router;
use gatepost_keys::Principal;
use gatepost_manage::{Choice, Directory};
use serde_json::{Value, json};
use tests::browser::{Browser, Look, Site, Visitor};
use tokio::net::TcpListener;
use webhook_model::{ObjectId, WebhookId, hidden_character};

/// Texts that attack the positions at which the pages insert values: text, quoted attributes,
/// addresses, scripts, JSON, headers.
const AIMED: [&str; 24] = [
    "<script>alert(1)</script>",
    "\"><script>alert(1)</script>",
    "'><img src=x onerror=alert(1)>",
    "\" autofocus onfocus=alert(1) x=\"",
    "</textarea><script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "</pre></details><svg onload=alert(1)>",
    "<svg><animate onbegin=alert(1) attributeName=x dur=1s>",
    "</option></select><img src=x onerror=alert(1)>",
    "<iframe srcdoc='<script>parent.alert(1)</script>'>",
    "<base href=https://evil.example/>",
    "<meta http-equiv=refresh content='0;url=https://evil.example/'>",
    "<link rel=stylesheet href=https://evil.example/x.css>",
    "<form action=https://evil.example/><button>Log in</button>",
    "<style>*{display:none}</style>",
    "<!--",
    "]]>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;img src=x onerror=alert(1)&#62;",
    "${NAME}<b>${DATE}</b>",
    "javascript:alert(document.domain)",
    "\u{202e}desrever\u{202c} <b>",
    "\u{2028}alert(1)\u{2029}",
    "{{7*7}} {% raw %} <%= 7*7 %> #{7*7}",
];

fn texts() -> Vec<String> {
    let listed: Vec<String> =
        serde_json::from_str(include_str!("../vendor/naughty-strings/blns.json")).unwrap();
    let all = AIMED.iter().map(|text| (*text).to_owned()).chain(listed);
    all.filter(|text| !text.trim().is_empty()).collect()
}

/// Returns the text as the page writes it.
fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

/// Cuts a text to the length of a name.
fn name(text: &str, at: usize, most: usize) -> String {
    let mut plain: String = text.chars().filter(|c| !c.is_control()).collect();
    while let Some(hidden) = hidden_character(&plain) {
        plain = plain.replace(hidden, "");
    }
    let plain: String = plain.chars().take(most - 5).collect();
    format!("{plain} {at}")
}

/// Starts a target that responds with the request that it received.
async fn echo() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    let app = Router::new().fallback(async |body: String| ([("x-echo", "<b>&\"'")], body));
    let forever = std::future::pending();
    tokio::spawn(examples::serve::serve(listener, None, app, forever));
    format!("http://{addr}")
}

/// A host whose users, objects and tags have these names.
#[derive(Debug)]
struct Named(Vec<String>);

#[async_trait]
impl Directory for Named {
    async fn name(&self, _caller: &Principal, _table: &str, key: ObjectId) -> Option<String> {
        self.0.get(key.as_str().parse::<usize>().ok()? - 1).cloned()
    }

    async fn choices(&self, _user: &Principal, _table: &str, limit: usize) -> Vec<Choice> {
        let named = self.0.iter().zip(1_u32..).take(limit.min(150));
        named
            .map(|(name, key)| Choice::new(key.into(), name.clone()))
            .collect()
    }
}

/// Stores every text through every form, and through a delivery and its response.
async fn store(site: &Site, texts: &[String]) -> usize {
    let admin = Visitor::login(site, "admin").await;
    let target = echo().await;
    let mut kept = 0;
    for (at, text) in texts.iter().enumerate() {
        let (long, short) = (name(text, at, 128), name(text, at, 64));
        let key = [
            ("name", long.as_str()),
            ("description", text),
            ("expires_type", "90"),
        ];
        kept += usize::from(admin.submit("/console/keys/new", &key).await.status == 200);
        let path: String = text
            .chars()
            .filter(|c| c.is_ascii_graphic() && *c != '#')
            .take(200)
            .collect();
        let (url, line) = (
            format!("{target}/{path}?x={path}"),
            format!("X-Text: {text}"),
        );
        let user = text.replace(':', "");
        let mut hook = vec![
            ("name", long.as_str()),
            ("url", &url),
            ("auth", "basic"),
            ("user", &user),
            ("password", "p"),
            ("header_mode", "text"),
            ("headers_text", &line),
            ("timeout", "5"),
            ("retries", "0"),
            ("enabled", "on"),
        ];
        let first = admin.submit("/console/webhooks/new", &hook).await;
        if first.status == 422 {
            // Not every text is valid in a header, a user or an address; all are valid names.
            assert!(first.has(&escaped(&long)), "{text:?} is kept in the form");
            hook.retain(|(field, _)| !["auth", "user", "headers_text", "url"].contains(field));
            hook.extend([("auth", "none"), ("headers_text", ""), ("url", &target)]);
            let second = admin.submit("/console/webhooks/new", &hook).await;
            assert_eq!(second.status, 303, "{text:?}");
        }
        kept += 1;
        let task = [
            ("name", short.as_str()),
            ("description", text),
            ("webhook", "1"),
            ("message", text),
            ("enabled", "on"),
        ];
        kept += usize::from(admin.submit("/console/tasks/new", &task).await.status == 303);
        let (task, object) = ((at + 1).to_string(), (at + 1).to_string());
        let event = [
            ("event", "poweron"),
            ("target", if at % 2 == 0 { "instance" } else { "tag" }),
            ("instance", &object),
            ("tag", &object),
            ("task", &task),
        ];
        admin
            .fill(
                "/console/events/new?type=vms",
                "/console/events/new",
                &event,
            )
            .await;
        if text.contains(['<', '"', '&', '\'']) {
            let message = text.parse().unwrap();
            let sent = site
                .engine
                .send(WebhookId(at as i64 + 1), Some(&message))
                .await
                .unwrap();
            site.ended(sent.0).await;
        }
    }
    kept
}

#[tokio::test(flavor = "multi_thread")]
async fn no_text_is_more_than_text() {
    let texts = texts();
    let site = Site::start_with(Arc::new(Named(texts.clone()))).await;
    assert!(texts.len() >= 400, "{}", texts.len());
    let kept = store(&site, &texts).await;
    assert!(kept > texts.len() * 5 / 2, "{kept} of {}", texts.len() * 3);

    // The typed texts are shown unchanged.
    let admin = Visitor::login(&site, "admin").await;
    let mut compared = 0;
    for at in 1..=texts.len() as i64 {
        let page = admin.get(&format!("/console/tasks/{at}/edit")).await;
        let Some(task) = site.engine.task(webhook_model::TaskId(at)).await.unwrap() else {
            continue;
        };
        assert!(
            page.has(&format!(
                "\n{}</textarea>",
                escaped(task.value.description.as_str())
            )),
            "{task:?}"
        );
        assert!(
            page.has(&format!("value=\"{}\"", escaped(task.value.name.as_str()))),
            "{task:?}"
        );
        compared += 1;
    }
    assert!(compared > 400, "{compared}");

    let count = texts.len();
    Browser::run(&site, Look::default(), async move |b: Browser| {
        b.login("admin").await;
        // Control: an inserted element is found.
        b.script("document.body.append(document.createElement('img'))").await;
        assert_eq!(made(&b).await, json!(["<img>"]));
        let mut pages = 0;
        for list in ["keys", "webhooks", "tasks", "events", "deliveries"] {
            b.goto(&format!("/console/{list}")).await;
            loop {
                harmless(&b).await;
                pages += 1;
                let next = b.script("const n = [...document.querySelectorAll('.pager a')].find(a => a.textContent == 'Next page'); return n && n.getAttribute('href')").await;
                match next.as_str() {
                    Some(next) => b.goto(next).await,
                    None => break,
                }
            }
        }
        // There are at least as many pages as the rows need.
        assert!(pages > count * 3 / 50, "{pages}");
        // Each text has a form, a confirmation and its own page.
        for at in 1..=60 {
            for path in ["keys/{}/edit", "keys/{}/delete", "webhooks/{}", "webhooks/{}/edit", "webhooks/{}/delete", "tasks/{}/edit", "tasks/{}/delete", "events/{}/edit", "events/{}/delete", "deliveries/{}"] {
                b.goto(&format!("/console/{}", path.replace("{}", &at.to_string()))).await;
                harmless(&b).await;
            }
        }
        for page in ["/console/", "/console/tasks/new", "/console/events/new?type=vms"] {
            b.goto(page).await;
            harmless(&b).await;
        }
        assert_eq!(b.complaints().await, Vec::<String>::new());
        for event in b.network().await.iter().filter(|event| event.contains("Network.requestWillBeSent\"")) {
            let url = event.split("\"url\":\"").nth(1).unwrap_or("");
            let ours = ["http://127.0.0.1:", "data:", "chrome:", "about:"];
            assert!(ours.iter().any(|start| url.starts_with(start)), "{event}");
        }
    })
    .await;
}

/// Asserts that the page has nothing that a text could have made: an alert would already have
/// failed the step.
async fn harmless(b: &Browser) {
    assert_eq!(made(b).await, json!([]), "{}", b.path().await);
}

/// Returns elements and attributes that no page of the console has.
async fn made(b: &Browser) -> Value {
    b.script("return [...document.querySelectorAll('script:not([src^=\"/console/assets/\"]), iframe, img, style, base, object, embed, meta[http-equiv], link[href^=http], form[action^=http], a[href^=javascript], main b, main svg:not(.chart, .chart svg, .bar, .legend svg)')].map(e => e.outerHTML.slice(0, 200)).concat([...document.querySelectorAll('*')].flatMap(e => [...e.attributes]).filter(a => /^on|^style$/.test(a.name)).map(a => a.name))").await
}
