//! An OAuth 2 client, as it is typed.

use webhook_model::{Authorization, ClientAuthentication, Invalid, OAuth2, trim_pasted};

use crate::form::Form;
use crate::problems::{Problems, rule};

/// The fields of a client. The secret is read, and never written into a page.
#[derive(Default)]
pub(in crate::webhooks) struct OAuth2Fields {
    pub token_url: String,
    pub client_id: String,
    secret: String,
    pub scope: String,
    pub authentication: String,
}

impl OAuth2Fields {
    pub(super) fn sent(form: &Form) -> Self {
        let text = |name| trim_pasted(form.text(name)).to_owned();
        Self {
            token_url: text("oauth_token_url"),
            client_id: text("oauth_client_id"),
            secret: text("oauth_secret"),
            scope: text("oauth_scope"),
            authentication: text("oauth_client_auth"),
        }
    }

    /// What is stored, without the secret.
    pub(super) fn of(authorization: &Authorization) -> Self {
        let Authorization::OAuth2(client) = authorization else {
            return Self::default();
        };
        Self {
            token_url: client.token_url().as_str().to_owned(),
            client_id: client.client_id().to_owned(),
            secret: String::new(),
            scope: client.scope().to_owned(),
            authentication: client.authentication().as_str().to_owned(),
        }
    }

    /// The way that is chosen: the usual one where none is.
    pub(in crate::webhooks) fn way(&self) -> &str {
        match self.authentication.as_str() {
            "" => ClientAuthentication::default().as_str(),
            way => way,
        }
    }

    pub(super) fn is_entered(&self) -> bool {
        !self.secret.is_empty()
    }

    /// Parses the fields. A secret that is left empty keeps its value of `kept`.
    pub(super) fn parse(
        &self,
        problems: &mut Problems,
        kept: Option<&Authorization>,
    ) -> Option<Authorization> {
        let secret = match kept {
            Some(Authorization::OAuth2(client)) if self.secret.is_empty() => {
                client.client_secret().expose()
            }
            _ => self.secret.as_str(),
        };
        match self.client(secret) {
            Ok(client) => Some(Authorization::OAuth2(Box::new(client))),
            Err(invalid) => {
                problems.add(field_of(invalid.field().as_str()), rule(invalid));
                None
            }
        }
    }

    fn client(&self, secret: &str) -> Result<OAuth2, Invalid> {
        let authentication = ClientAuthentication::parse(self.way())?;
        let client = OAuth2::new(&self.token_url, &self.client_id, secret)?;
        let client = client.with_scope(&self.scope)?;
        Ok(client.with_authentication(authentication))
    }
}

/// The form field for a field of the record, as it is called on the wire.
pub(super) fn field_of(field: &str) -> &'static str {
    match field {
        "oauth_token_url" => "oauth_token_url",
        "oauth_client_id" => "oauth_client_id",
        "oauth_scope" => "oauth_scope",
        "oauth_client_auth" => "oauth_client_auth",
        _ => "oauth_secret",
    }
}
