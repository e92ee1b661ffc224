//! The request as it was sent, and as a line for curl.

use gatepost_storage::webhooks::{AttemptRecord, Delivery};
use maud::{Markup, html};
use webhook_model::Webhook;

use super::curl::{Head, PLACEHOLDER, curl};
use crate::texts::Texts;

/// The section of the delivery's page: the request of the last attempt that kept one. Where nothing
/// was sent yet, the line for curl is made of the webhook as it is now.
pub(super) fn section(
    t: &Texts,
    delivery: &Delivery,
    webhook: Option<&Webhook>,
    attempts: &[AttemptRecord],
) -> Markup {
    let mut sent = attempts.iter().rev();
    let sent = sent.find(|attempt| !attempt.request_head.is_empty());
    let head = match sent {
        Some(attempt) => Head::parse(&attempt.request_head),
        None => webhook.and_then(|webhook| planned(delivery, webhook)),
    };
    let file = format!("message-{}.txt", delivery.id);
    let line = head.map(|head| curl(&head, &delivery.body, &file));
    html! {
        section {
            h2 { (t.of("deliveries-request")) }
            @match sent {
                Some(attempt) => {
                    p.quiet { (t.with("deliveries-request-sent", &[("number", attempt.number.into())])) }
                    pre id="request" tabindex="0" { (String::from_utf8_lossy(&attempt.request_head)) }
                    p { (copy("request", &t.of("deliveries-copy"), Some(&t.of("deliveries-copy-request")))) }
                }
                None => p.quiet { (t.of("deliveries-request-none")) },
            }
            @if let Some(line) = line.filter(|_| delivery.message_kept) {
                details id="as-curl" {
                    summary { (t.of("deliveries-curl")) }
                    @if sent.is_none() { p.quiet { (t.of("deliveries-curl-planned")) } }
                    pre id="curl" tabindex="0" { (line) }
                    p { (copy("curl", &t.of("deliveries-curl-copy"), None)) }
                    p.quiet { (hint(t, &line, &file)) }
                }
            }
        }
    }
}

/// What is to be done before the line is of use.
fn hint(t: &Texts, line: &str, file: &str) -> Markup {
    let placeholder = html! { code { (PLACEHOLDER) } };
    let file = html! { code { (file) } };
    let parts = [("placeholder", placeholder.into()), ("file", file.into())];
    match line.contains("--data-binary") {
        true => t.markup("deliveries-curl-hint-file", &parts),
        false => t.markup("deliveries-curl-hint", &parts),
    }
}

/// A button that copies an element's text, with what screen readers say instead of its own; it
/// needs the script.
pub(super) fn copy(id: &str, text: &str, said: Option<&str>) -> Markup {
    html! {
        button.small.scripted type="button" data-copy=(id) data-said={ (id) "-copied" } aria-label=[said] { (text) }
        " " span.quiet id={ (id) "-copied" } role="status" {}
    }
}

/// What would be sent, without the sender's own headers.
fn planned(delivery: &Delivery, webhook: &Webhook) -> Option<Head> {
    let own = [("webhook-id".to_owned(), delivery.message_id.to_string())];
    let headers = webhook.request_headers().ok()?.into_iter().map(|header| {
        let value = match header.sensitive {
            true => "(hidden)",
            false => header.value.expose(),
        };
        (header.name, value.to_owned())
    });
    Some(Head {
        method: "POST".into(),
        url: webhook.url.as_str().to_owned(),
        headers: headers.chain(own).collect(),
    })
}
