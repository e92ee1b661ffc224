//! The request as it was sent, and as a line for curl.

use gatepost_storage::webhooks::{AttemptRecord, Delivery};
use maud::{Markup, html};
use webhook_model::Webhook;

use super::curl::{Head, curl};

/// The section of the delivery's page: the request of the last attempt that kept one. Where nothing
/// was sent yet, the line for curl is made of the webhook as it is now.
pub(super) fn section(
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
            h2 { "Request" }
            @match sent {
                Some(attempt) => {
                    p.quiet { "As attempt " (attempt.number) " sent it. Credentials are hidden, and are not in the log." }
                    pre id="request" tabindex="0" { (String::from_utf8_lossy(&attempt.request_head)) }
                    p { (copy("request", "Copy", "the request")) }
                }
                None => p.quiet { "No request was sent, or it was not kept." },
            }
            @if let Some(line) = line.filter(|_| delivery.message_kept) {
                details id="as-curl" {
                    summary { "As curl" }
                    @if sent.is_none() { p.quiet { "As the webhook is now." } }
                    pre id="curl" tabindex="0" { (line) }
                    p { (copy("curl", "Copy as curl", "")) }
                    p.quiet { "Replace each " code { "<credential>" } ". A signature is valid for a few minutes." @if line.contains("--data-binary") { " Download the message to " code { (file) } " first." } }
                }
            }
        }
    }
}

/// A button that copies an element's text; it needs the script.
pub(super) fn copy(id: &str, text: &str, of: &str) -> Markup {
    html! {
        button.small.scripted type="button" data-copy=(id) data-said={ (id) "-copied" } { (text) @if !of.is_empty() { span.unseen { " " (of) } } }
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
