//! The notes on a URL next to its field and after it is saved, and the redirection to the page of a
//! webhook after a change.

use axum::response::{IntoResponse, Redirect, Response};
use gatepost_manage::TargetVerdict;
use webhook_model::{DeliveryMode, TargetUrl, WebhookId};

use super::list::WebhookRow;
use crate::context::PageContext;
use crate::texts::Texts;

/// The part of a page's address that says that the host name of the saved webhook has no usable
/// address.
pub(super) const NO_ADDRESS: &str = "no-address";

/// Returns a warning about a typed URL; empty if there is none, or if it is not a URL. It only uses
/// the text of the URL: no name is resolved.
pub(super) fn hint(ctx: &PageContext, text: &str) -> String {
    let Ok(url) = text.parse::<TargetUrl>() else {
        return String::new();
    };
    let refused = words(ctx.texts(), ctx.actor.check_url(&url));
    if !refused.is_empty() {
        refused
    } else if url.as_url().scheme() == "http" {
        ctx.texts().of("webhooks-url-plain").into_owned()
    } else {
        String::new()
    }
}

/// Whether the host name of a saved webhook has no address to which the platform may send. Waits
/// for at most a second.
async fn leads_nowhere(ctx: &PageContext, url: &TargetUrl) -> bool {
    ctx.actor.check_target(url).await == TargetVerdict::NoAddress
}

/// Returns a verdict in words; empty if nothing is wrong with the URL. All verdicts on a host name
/// are one sentence, which reveals nothing about the platform's own network.
pub(super) fn words(texts: &Texts, verdict: TargetVerdict) -> String {
    match verdict {
        TargetVerdict::Refused(refusal) => {
            let why = refusal.to_string();
            texts.with("webhooks-url-refused", &[("why", texts.rule(&why).into())])
        }
        TargetVerdict::NoAddress => texts.of("webhooks-url-no-address").into_owned(),
        _ => String::new(),
    }
}

/// Redirects to the webhook's own page, which confirms the operation.
pub(super) fn to_webhook(ctx: &PageContext, id: WebhookId, done: &str) -> Response {
    Redirect::to(&ctx.at(&format!("/webhooks/{id}?done={done}"))).into_response()
}

/// Does the same as [`to_webhook`] after the form was saved: the page says if the host name has no
/// usable address.
pub(super) async fn to_saved(ctx: &PageContext, row: &WebhookRow, done: &str) -> Response {
    if row.value.mode == DeliveryMode::Push && leads_nowhere(ctx, &row.value.url).await {
        return to_webhook(ctx, row.id, &format!("{done}&target={NO_ADDRESS}"));
    }
    to_webhook(ctx, row.id, done)
}
