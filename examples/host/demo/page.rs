//! The pages on which the receiver shows the messages.

use axum::http::header;
use axum::response::{Html, IntoResponse, Response};

use super::receiver::{Message, Messages};

const STYLE: &str = ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}pre{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid;border-radius:4px;padding:.75rem}";
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
/// The page reloads after this number of seconds.
const REFRESH: &str = "3";

/// Returns a page without scripts that shows all messages.
pub(super) fn html(messages: &Messages) -> Response {
    let shown: String = messages.iter().map(article).collect();
    let shown = match shown.is_empty() {
        true => "<p>Nothing has arrived yet. This page loads itself again.</p>".into(),
        false => shown,
    };
    let html = format!(
        "<!DOCTYPE html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'><title>Built-in receiver</title><style>{STYLE}</style><main><h1>What the built-in receiver got</h1>{shown}</main></html>"
    );
    let headers = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::CACHE_CONTROL, "no-store"),
        (header::REFRESH, REFRESH),
    ];
    (headers, Html(html)).into_response()
}

/// Returns one message, for a terminal.
pub(super) fn text(message: &Message) -> Response {
    let Message { id, at, body, seen } = message;
    let again = match seen {
        true => "nothing new has arrived; shown again:\n",
        false => "",
    };
    // A message may hold control characters that a terminal would obey.
    let body: String = body
        .chars()
        .map(|c| {
            if c.is_control() && c != '\n' {
                '�'
            } else {
                c
            }
        })
        .collect();
    let at = at.format("%H:%M:%S UTC");
    format!(
        "{again}POST /hook\nwebhook-id: {id}\nwebhook-signature: good, checked at {at}\n\n{body}\n"
    )
    .into_response()
}

fn article(message: &Message) -> String {
    let Message { id, at, body, .. } = message;
    let (id, body) = (escaped(id), escaped(body));
    let at = at.format("%Y-%m-%d %H:%M:%S UTC");
    format!("<article><h2>{at}</h2><p>Message {id}, signature good</p><pre>{body}</pre></article>")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
}
