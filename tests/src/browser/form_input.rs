//! Forms as most tests fill them in.

use examples::receiver::Receiver;

use super::{Page, Site, Visitor};

/// The fields of an enabled event of task 1 when machine 1 is switched on.
pub const ON_MACHINE: [(&str, &str); 5] = [
    ("event", "poweron"),
    ("target", "instance"),
    ("instance", "1"),
    ("task", "1"),
    ("enabled", "on"),
];
/// The fields of a disabled event of task 1 when a machine with tag 1 is switched on.
pub const ON_TAG: [(&str, &str); 4] = [
    ("event", "poweron"),
    ("target", "tag"),
    ("tag", "1"),
    ("task", "1"),
];

/// Returns the fields of a webhook `chat`, JSON, without authorization, and more.
#[must_use]
pub fn chat<'a>(
    url: &'a str,
    retries: &'a str,
    more: &[(&'a str, &'a str)],
) -> Vec<(&'a str, &'a str)> {
    let fields = [
        ("name", "chat"),
        ("url", url),
        ("auth", "none"),
        ("header_mode", "text"),
        ("headers_text", "Content-Type: application/json"),
        ("timeout", "3"),
        ("retries", retries),
        ("enabled", "on"),
    ];
    [&fields[..], more].concat()
}

/// Creates a webhook [`chat`] to a receiver's `/in`.
///
/// # Panics
/// If it is refused.
pub async fn new_webhook(visitor: &Visitor, receiver: &Receiver, retries: &str) {
    let url = format!("http://{}/in", receiver.addr);
    let fields = chat(&url, retries, &[]);
    visitor
        .submit("/console/webhooks/new", &fields)
        .await
        .expect(303);
}

/// Starts a site, logs a user in, and creates a webhook as [`new_webhook`] does, with its receiver.
///
/// # Panics
/// If the receiver cannot be started.
pub async fn visited_with_webhook(user: &str, retries: &str) -> (Site, Visitor, Receiver) {
    let (site, visitor) = Site::visited_by(user).await;
    let receiver = Receiver::start(None).await.unwrap();
    new_webhook(&visitor, &receiver, retries).await;
    (site, visitor, receiver)
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
