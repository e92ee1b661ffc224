//! The cost of forms: one of any size is answered within a bounded time. `calls` tests the calls of
//! lists to the store.

use std::fmt::Write as _;
use std::time::Duration;

use tests::browser::form_input::hook;
use tests::browser::{Page, Site, Visitor};
use tokio::time::Instant;
use webhook_model::WebhookId;

const WEBHOOK: &str = "/console/webhooks/new";
const KEY: &str = "/console/keys/new";
const TASK: &str = "/console/tasks/new";
/// The largest form that is read, in bytes.
const FORM: usize = 4 * 1024 * 1024;
/// The time limit for an unoptimized build on a busy machine. With a search for each row among all
/// rows before it, the forms below take minutes.
const AT_ONCE: Duration = Duration::from_secs(5);

/// Sends a body unchanged, after the hidden fields of a page.
#[allow(clippy::print_stdout, reason = "a figure to look at")]
async fn send(visitor: &Visitor, page: &str, to: &str, rest: &str) -> Page {
    let mut body = String::new();
    for (name, value) in visitor.get(page).await.hidden() {
        write!(body, "{name}={value}&").unwrap();
    }
    body.push_str(rest);
    assert!(body.len() <= FORM, "{}", body.len());
    let request = visitor.request(reqwest::Method::POST, to);
    let kind = "application/x-www-form-urlencoded";
    let start = Instant::now();
    let page = visitor.send(request.header("content-type", kind).body(body));
    let page = page.await;
    let took = start.elapsed();
    println!(
        "{to}: {}, {} KiB in {took:?}",
        page.status,
        rest.len() / 1024
    );
    assert!(took < AT_ONCE, "{to}: {took:?}");
    page
}

/// Returns rows up to the maximum size of a form.
fn rows(row: impl Fn(usize) -> String) -> String {
    let mut all = String::new();
    for at in 0.. {
        let row = row(at);
        if all.len() + row.len() > FORM - 1024 {
            break;
        }
        all.push_str(&row);
    }
    all
}

#[tokio::test]
async fn four_mebibyte_forms_are_refused_naming_the_field() {
    let (_site, ulf) = Site::visited_by("ulf").await;
    let headers = rows(|at| format!("header.{at}.name=a&"));
    let allowed = rows(|at| format!("allow.{at}.net=&"));
    let denied = rows(|at| format!("deny.{at}.net=10.0.0.1&deny.{at}.on=on&"));
    let name = format!("name={}", "n".repeat(FORM - 1024));
    let message = format!("message={}", "%22".repeat((FORM - 2048) / 3));
    for (page, sent, field) in [
        (WEBHOOK, &headers, "Headers: Has too many rows."),
        (KEY, &allowed, "IP allow list: Has too many rows."),
        (KEY, &denied, "IP deny list: Has too many rows."),
        (KEY, &name, "Name: Must be at most 65,536 bytes."),
        (TASK, &message, ""),
        (WEBHOOK, &"&".repeat(FORM - 1024), ""),
        (WEBHOOK, &rows(|_| "a=&".into()), "A: Has too many rows."),
    ] {
        for to in [page, &page.replace("new", "check")] {
            let answer = send(&ulf, page, to, sent).await;
            assert!(answer.html.len() < 10 * 1024 * 1024, "{to}: {field}");
            if !field.is_empty() {
                assert_eq!(answer.status, 413, "{to}: {field}");
                assert!(answer.has(field), "{to}: {field} in {}", answer.html);
                assert_eq!(answer.header("x-frame-options"), "DENY");
                assert_eq!(answer.header("cache-control"), "no-store");
            }
        }
    }
}

#[tokio::test]
async fn list_with_too_many_rows_shows_field_error() {
    let (_site, ulf) = Site::visited_by("ulf").await;
    let form = |rows: usize| {
        let rows = (0..rows).map(|at| format!("&allow.{at}.net=10.0.0.1&allow.{at}.on=on"));
        format!("name=k&expires_type=never{}", rows.collect::<String>())
    };
    let refused = send(&ulf, KEY, KEY, &form(1025)).await;
    assert_eq!(refused.status, 422);
    assert_eq!(refused.error("allow"), "Must have at most 1,024 rows.");
    assert!(refused.has("allow.1023.net") && !refused.has("allow.1024.net"));
    let made = send(&ulf, KEY, KEY, &form(1024)).await;
    assert!(made.secret().is_some(), "{}", made.html);

    let form = |rows: usize| {
        let rows = (0..rows).map(|at| format!("&header.{at}.name=a&header.{at}.value=b"));
        let url = "https%3A%2F%2Fexample.com%2F";
        format!(
            "name=w&url={url}&auth=none&header_mode=rows&timeout=5&retries=0{}",
            rows.collect::<String>()
        )
    };
    let refused = send(&ulf, WEBHOOK, WEBHOOK, &form(101)).await;
    assert_eq!(refused.status, 422);
    assert_eq!(refused.error("header"), "Must have at most 100 rows.");
    assert_eq!(send(&ulf, WEBHOOK, WEBHOOK, &form(100)).await.status, 303);
}

/// With its values the message would be 4 MiB, and its page five times that.
#[tokio::test]
async fn preview_of_large_message_is_truncated() {
    let (_site, ulf) = Site::visited_by("ulf").await;
    let quotes = "%22".repeat(1024 * 1024);
    let page = send(&ulf, TASK, TASK, &format!("do=preview&message={quotes}")).await;
    assert_eq!(page.status, 200);
    assert!(page.has("Only the beginning of the message is shown."));
    assert!(page.html.len() < 8 * 1024 * 1024, "{}", page.html.len());
    let unknown: String = (0..100_000).map(|at| format!("$%7Bv{at}%7D")).collect();
    let page = send(
        &ulf,
        TASK,
        "/console/tasks/check",
        &format!("message={unknown}"),
    )
    .await;
    assert!(page.has("${v19} and 99,980 more."), "{}", page.html.len());
}

#[tokio::test]
async fn page_truncates_large_message_and_offers_download() {
    let (site, ulf) = Site::visited_by("ulf").await;
    let vera = Visitor::login(&site, "vera").await;
    let fields = hook("https://example.com/", &[]);
    assert_eq!(ulf.submit(WEBHOOK, &fields).await.status, 303);
    ulf.fill(WEBHOOK, "/console/webhooks/1/do/pause", &[]).await;
    let message = "é\"".repeat(300_000);
    let stored = message.parse().unwrap();
    let id = site.engine.send(WebhookId(1), Some(&stored));
    let path = format!("/console/deliveries/{}", id.await.unwrap());
    let page = ulf.get(&path).await;
    assert!(page.has("Only the beginning is shown."));
    assert!(page.html.len() < 512 * 1024, "{}", page.html.len());
    let file = ulf.get(&format!("{path}/message")).await;
    assert!(file.html == message, "byte for byte");
    assert!(
        file.header("content-disposition")
            .starts_with("attachment;")
    );
    assert_eq!(file.header("content-type"), "text/plain; charset=utf-8");
    assert_eq!(file.header("x-content-type-options"), "nosniff");
    assert_eq!(file.header("cache-control"), "no-store");
    assert_eq!(vera.get(&format!("{path}/message")).await.status, 404);
}
