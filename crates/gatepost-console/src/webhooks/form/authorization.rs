//! The authorization in a webhook's form. Secrets are read, and never written into a page.

use webhook_model::{Authorization, AuthorizationKind, ClientAuthentication, Invalid, OAuth2};

use crate::form::Form;
use crate::problems::{Problems, rule};

/// Returns the form with the stored values, without secrets.
pub(super) fn stored(form: Form, authorization: &Authorization) -> Form {
    let form = form.with("auth", authorization.kind().as_str());
    let way = ClientAuthentication::default();
    match authorization {
        Authorization::Basic { user, .. } => form.with("user", user.as_str()),
        Authorization::OAuth2(client) => form
            .with("oauth_token_url", client.token_url().as_str())
            .with("oauth_client_id", client.client_id())
            .with("oauth_scope", client.scope())
            .with("oauth_client_auth", client.authentication().as_str()),
        _ => form.with("oauth_client_auth", way.as_str()),
    }
}

/// Whether the secret of the chosen type was typed, or the type needs none: a stored user without a
/// password is in the form.
pub(super) fn is_entered(form: &Form, present: &Authorization) -> bool {
    let is_typed = |name| !form.word(name).is_empty();
    let no_password =
        matches!(present, Authorization::Basic { password, .. } if password.expose().is_empty());
    match form.word("auth") {
        "bearer" => is_typed("token"),
        "apikey" => is_typed("key"),
        "basic" => is_typed("password") || no_password,
        "oauth2" => is_typed("oauth_secret"),
        _ => true,
    }
}

/// Parses the fields. An empty secret keeps its present value if the type is the same.
pub(super) fn parse(
    form: &Form,
    problems: &mut Problems,
    present: Option<&Authorization>,
) -> Option<Authorization> {
    let kind = AuthorizationKind::parse(form.word("auth"));
    let kind = problems.take("auth", kind.map_err(rule))?;
    let kept = present.filter(|present| present.kind() == kind);
    match kind {
        AuthorizationKind::None => Some(Authorization::None),
        AuthorizationKind::Bearer => secret(form, problems, kind, "token", kept),
        AuthorizationKind::ApiKey => secret(form, problems, kind, "key", kept),
        AuthorizationKind::Basic => {
            let password = match kept {
                Some(Authorization::Basic { password, .. }) => Some(password.expose()),
                _ => None,
            };
            let (user, password) = (form.word("user"), typed_or(form, "password", password));
            let user_is_wrong = user.is_empty() || user.contains(':');
            let field = if user_is_wrong { "user" } else { "password" };
            problems.take(field, Authorization::basic(user, password).map_err(rule))
        }
        AuthorizationKind::OAuth2 => {
            let stored = match kept {
                Some(Authorization::OAuth2(client)) => Some(client.client_secret().expose()),
                _ => None,
            };
            let client = client(form, typed_or(form, "oauth_secret", stored));
            let field = |invalid: &Invalid| field_of(invalid.field().as_str());
            let noted = client.map_err(|invalid| problems.add(field(&invalid), rule(invalid)));
            let client = noted.ok()?;
            Some(Authorization::OAuth2(Box::new(client)))
        }
    }
}

/// Returns the field of the form for a field of an OAuth 2 client, by its name in the API.
pub(super) fn field_of(field: &'static str) -> &'static str {
    match field {
        "oauth_token_url" | "oauth_client_id" | "oauth_scope" | "oauth_client_auth" => field,
        _ => "oauth_secret",
    }
}

fn client(form: &Form, secret: &str) -> Result<OAuth2, Invalid> {
    let authentication = match form.word("oauth_client_auth") {
        "" => ClientAuthentication::default(),
        way => ClientAuthentication::parse(way)?,
    };
    let (url, id) = (form.word("oauth_token_url"), form.word("oauth_client_id"));
    let client = OAuth2::new(url, id, secret)?.with_scope(form.word("oauth_scope"))?;
    Ok(client.with_authentication(authentication))
}

/// Returns the typed value, or the stored one if nothing was typed.
fn typed_or<'a>(form: &'a Form, name: &str, stored: Option<&'a str>) -> &'a str {
    match (form.word(name), stored) {
        ("", Some(stored)) => stored,
        (typed, _) => typed,
    }
}

fn secret(
    form: &Form,
    problems: &mut Problems,
    kind: AuthorizationKind,
    field: &str,
    kept: Option<&Authorization>,
) -> Option<Authorization> {
    match (form.word(field), kept) {
        ("", Some(kept)) => Some(kept.clone()),
        (typed, _) => {
            let value = Authorization::from_parts(kind, Some(typed));
            problems.take(field, value.map_err(rule))
        }
    }
}
