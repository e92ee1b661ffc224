//! What is said of a URL beside its field, and once it is saved: the way back to the page of a
//! webhook after a change.

use axum::response::{IntoResponse, Redirect, Response};
use gatepost_manage::TargetVerdict;
use webhook_model::{DeliveryMode, TargetUrl, WebhookId};

use super::list::WebhookRow;
use crate::context::PageContext;
use crate::texts::Texts;

/// In the address of a page: the host name of a webhook that was saved leads nowhere.
pub(super) const NO_ADDRESS: &str = "no-address";

/// What may surprise who types a URL; empty if nothing does, or if it is no URL. By what it says
/// itself: nothing is looked up.
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

/// Whether the host name of a webhook that was just saved leads nowhere that may be sent to. Waits
/// for at most a second.
async fn leads_nowhere(ctx: &PageContext, url: &TargetUrl) -> bool {
    ctx.actor.check_target(url).await == TargetVerdict::NoAddress
}

/// A verdict in words; empty where nothing speaks against the URL. All that is said of a host name
/// is one sentence: what the platform's own network knows of it is not told.
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

/// The webhook's own page, which confirms what was done.
pub(super) fn to_webhook(ctx: &PageContext, id: WebhookId, done: &str) -> Response {
    Redirect::to(&ctx.at(&format!("/webhooks/{id}?done={done}"))).into_response()
}

/// As [`to_webhook`], after the form was saved: the page tells if the host name leads nowhere.
pub(super) async fn to_saved(ctx: &PageContext, row: &WebhookRow, done: &str) -> Response {
    if row.value.mode == DeliveryMode::Push && leads_nowhere(ctx, &row.value.url).await {
        return to_webhook(ctx, row.id, &format!("{done}&target={NO_ADDRESS}"));
    }
    to_webhook(ctx, row.id, done)
}
