//! Forms as most tests fill them in.

use examples::receiver::Receiver;

use super::{Page, Visitor};

/// Creates a webhook `chat` to a receiver's `/in`, JSON, without authorization.
///
/// # Panics
/// If it is refused.
pub async fn new_webhook(visitor: &Visitor, receiver: &Receiver, retries: &str) {
    let url = format!("http://{}/in", receiver.addr);
    let fields = [
        ("name", "chat"),
        ("url", &*url),
        ("auth", "none"),
        ("header_mode", "text"),
        ("headers_text", "Content-Type: application/json"),
        ("timeout", "3"),
        ("retries", retries),
        ("enabled", "on"),
    ];
    let page = visitor.submit("/console/webhooks/new", &fields).await;
    assert_eq!(page.status, 303, "{}", page.html);
}

/// Creates a task `tell` of the first webhook; `more` adds fields.
pub async fn new_task(visitor: &Visitor, message: &str, more: &[(&str, &str)]) -> Page {
    let fields = [
        &[
            ("name", "tell"),
            ("webhook", "1"),
            ("message", message),
            ("enabled", "on"),
        ],
        more,
    ]
    .concat();
    visitor.submit("/console/tasks/new", &fields).await
}

/// Creates an event of a virtual machine.
pub async fn new_event(visitor: &Visitor, fields: &[(&str, &str)]) -> Page {
    visitor
        .fill(
            "/console/events/new?type=vms",
            "/console/events/new",
            fields,
        )
        .await
}

/// Creates a key of this name and returns the response with the popup.
///
/// # Panics
/// If it is refused.
pub async fn new_key(visitor: &Visitor, name: &str) -> Page {
    let page = visitor
        .submit(
            "/console/keys/new",
            &[("name", name), ("expires_type", "90")],
        )
        .await;
    assert_eq!(page.status, 200, "{}", page.html);
    page
}

/// Returns the fields of a webhook `chat`, with some replaced or added.
#[must_use]
pub fn hook<'a>(url: &'a str, more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let base = [
        ("name", "chat"),
        ("url", url),
        ("auth", "none"),
        ("header_mode", "rows"),
        ("timeout", "5"),
        ("retries", "0"),
        ("enabled", "on"),
    ];
    let rest = base
        .into_iter()
        .filter(|(name, _)| !more.iter().any(|(other, _)| other == name));
    rest.chain(more.iter().copied()).collect()
}
