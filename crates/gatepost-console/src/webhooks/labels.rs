//! How a webhook's authorization type and state are shown.

use maud::Markup;
use webhook_model::{Activity, AuthorizationKind};

use crate::layout::badge;

/// The name of an authorization type.
pub(super) fn authorization(kind: AuthorizationKind) -> &'static str {
    match kind {
        AuthorizationKind::None => "None",
        AuthorizationKind::Basic => "Basic",
        AuthorizationKind::Bearer => "Bearer token",
        AuthorizationKind::ApiKey => "API key",
    }
}

/// Whether a webhook sends, as a badge.
pub(super) fn activity(activity: Activity) -> Markup {
    match activity {
        Activity::Active => badge("good", "active"),
        Activity::Paused => badge("warn", "paused"),
        Activity::Disabled => badge("", "disabled"),
    }
}
