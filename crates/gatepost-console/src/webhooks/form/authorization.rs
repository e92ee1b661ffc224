//! The authorization of a webhook, as it is typed.

use webhook_model::{Authorization, AuthorizationKind, trim_pasted};

use super::oauth2::OAuth2Fields;
use crate::form::Form;
use crate::problems::{Problems, rule};

/// The type, and the fields of all types. Secrets are read, and never written into a page.
#[derive(Default)]
pub(in crate::webhooks) struct AuthorizationFields {
    pub kind: String,
    pub token: String,
    pub key: String,
    pub user: String,
    pub password: String,
    pub oauth2: OAuth2Fields,
}

impl AuthorizationFields {
    pub(super) fn sent(form: &Form) -> Self {
        let text = |name| trim_pasted(form.text(name)).to_owned();
        Self {
            kind: text("auth"),
            token: text("token"),
            key: text("key"),
            user: text("user"),
            password: text("password"),
            oauth2: OAuth2Fields::sent(form),
        }
    }

    /// What is stored, without its secrets.
    pub(super) fn of(authorization: &Authorization) -> Self {
        let user = match authorization {
            Authorization::Basic { user, .. } => user.clone(),
            _ => String::new(),
        };
        Self {
            kind: authorization.kind().as_str().to_owned(),
            oauth2: OAuth2Fields::of(authorization),
            user,
            ..Self::default()
        }
    }

    /// Whether the secret of the chosen type was typed, or there is none to type: a stored user
    /// without a password is in the form.
    pub(super) fn is_entered(&self, present: &Authorization) -> bool {
        let no_password = matches!(present, Authorization::Basic { password, .. } if password.expose().is_empty());
        match self.kind.as_str() {
            "bearer" => !self.token.is_empty(),
            "apikey" => !self.key.is_empty(),
            "basic" => !self.password.is_empty() || no_password,
            "oauth2" => self.oauth2.is_entered(),
            _ => true,
        }
    }

    /// Parses the fields. A secret that is left empty keeps its present value if the type is the
    /// same.
    pub(super) fn parse(
        &self,
        problems: &mut Problems,
        present: Option<&Authorization>,
    ) -> Option<Authorization> {
        let kind = problems.take("auth", AuthorizationKind::parse(&self.kind).map_err(rule))?;
        let kept = present.filter(|present| present.kind() == kind);
        match kind {
            AuthorizationKind::None => Some(Authorization::None),
            AuthorizationKind::Bearer => secret(problems, kind, "token", &self.token, kept),
            AuthorizationKind::ApiKey => secret(problems, kind, "key", &self.key, kept),
            AuthorizationKind::Basic => {
                let password = match kept {
                    Some(Authorization::Basic { password, .. }) if self.password.is_empty() => {
                        password.expose()
                    }
                    _ => self.password.as_str(),
                };
                let user_is_wrong = self.user.is_empty() || self.user.contains(':');
                let field = if user_is_wrong { "user" } else { "password" };
                let basic = Authorization::basic(&self.user, password);
                problems.take(field, basic.map_err(rule))
            }
            AuthorizationKind::OAuth2 => self.oauth2.parse(problems, kept),
        }
    }
}

fn secret(
    problems: &mut Problems,
    kind: AuthorizationKind,
    field: &str,
    text: &str,
    kept: Option<&Authorization>,
) -> Option<Authorization> {
    match kept {
        Some(kept) if text.is_empty() => Some(kept.clone()),
        _ => {
            let value = Authorization::from_parts(kind, Some(text));
            problems.take(field, value.map_err(rule))
        }
    }
}
