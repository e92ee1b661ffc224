//! How a webhook's authorization type is shown.

use std::borrow::Cow;

use webhook_model::AuthorizationKind;

use crate::texts::Texts;

/// The name of an authorization type.
pub(super) fn authorization(texts: &Texts, kind: AuthorizationKind) -> Cow<'_, str> {
    match kind {
        AuthorizationKind::None => texts.of("webhooks-authorization-none"),
        AuthorizationKind::Basic => texts.of("webhooks-authorization-basic"),
        AuthorizationKind::Bearer => texts.of("webhooks-authorization-bearer"),
        AuthorizationKind::ApiKey => texts.of("webhooks-authorization-apikey"),
        AuthorizationKind::OAuth2 => texts.of("webhooks-authorization-oauth2"),
    }
}
