//! What is said of a URL beside its field, and once it is saved.

use gatepost_manage::TargetVerdict;
use webhook_model::TargetUrl;

use crate::context::PageContext;

/// In the address of a page: the host name of a webhook that was saved leads nowhere.
pub(super) const NO_ADDRESS: &str = "no-address";

/// What may surprise who types a URL; empty if nothing does, or if it is no URL. By what it says
/// itself: nothing is looked up.
pub(super) fn hint(ctx: &PageContext, text: &str) -> String {
    let Ok(url) = text.trim().parse::<TargetUrl>() else {
        return String::new();
    };
    let refused = words(ctx.actor.judge_url(&url));
    if !refused.is_empty() {
        refused
    } else if url.as_url().scheme() == "http" {
        "Not encrypted: anyone on the network path to the target can read what is sent. Use https if possible.".into()
    } else {
        String::new()
    }
}

/// Whether the host name of a webhook that was just saved leads nowhere that may be sent to. Waits
/// for at most a second.
pub(super) async fn leads_nowhere(ctx: &PageContext, url: &TargetUrl) -> bool {
    ctx.actor.judge_target(url).await == TargetVerdict::NoAddress
}

/// A verdict in words; empty where nothing speaks against the URL. All that is said of a host name
/// is one sentence: what the platform's own network knows of it is not told.
pub(super) fn words(verdict: TargetVerdict) -> String {
    match verdict {
        TargetVerdict::Refused(refusal) => {
            format!("Nothing can be sent to this URL: {refusal}.")
        }
        TargetVerdict::NoAddress => "Nothing can be sent to this host name: it has no address at this moment that the target policy allows.".into(),
        _ => String::new(),
    }
}
