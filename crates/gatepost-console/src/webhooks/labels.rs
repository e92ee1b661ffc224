//! How a webhook's authorization type is shown.

use webhook_model::AuthorizationKind;

/// The name of an authorization type.
pub(super) fn authorization(kind: AuthorizationKind) -> &'static str {
    match kind {
        AuthorizationKind::None => "None",
        AuthorizationKind::Basic => "Basic",
        AuthorizationKind::Bearer => "Bearer token",
        AuthorizationKind::ApiKey => "API key",
    }
}
