//! The headers field of a webhook. Accepted text is returned line by line, and makes exactly those
//! lines of a request.

use std::sync::OnceLock;

use delivery::{Request, Sender, TargetPolicy};
use webhook_model::Headers;

pub(crate) fn holds(text: &str) {
    static SENDER: OnceLock<Sender> = OnceLock::new();
    let sender = SENDER.get_or_init(|| Sender::builder(TargetPolicy::public()).build().unwrap());
    let Ok(headers) = Headers::parse_lines(text) else {
        return;
    };
    let lines = |headers: &Headers| -> String {
        let line = |h: &webhook_model::Header| format!("{}:{}\n", h.name(), h.value());
        headers.iter().map(line).collect()
    };
    let written = lines(&headers);
    assert_eq!(Headers::parse_lines(&written).as_ref(), Ok(&headers));
    assert!(headers.iter().count() <= text.split('\n').count());

    let mut builder = Request::builder("https://example.com/".parse().unwrap());
    for header in headers.iter() {
        builder = builder.header(header.name(), header.value());
    }
    let Ok(request) = builder.build() else {
        return; // a name that belongs to the connection
    };
    let head = sender.preview(&request, Default::default()).unwrap().head;
    let head = String::from_utf8_lossy(&head);
    let sent = head.trim_end_matches("\r\n").split("\r\n").count() - 1;
    let own = headers
        .iter()
        .any(|h| h.name().eq_ignore_ascii_case("user-agent"));
    // Host and Content-Length, and our User-Agent if the field has none.
    assert_eq!(
        sent,
        headers.iter().count() + 2 + usize::from(!own),
        "{head:?}"
    );
}
