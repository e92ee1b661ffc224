//! The columns of a webhook's authorization.

use serde_json::Value;
use webhook_model::{
    Authorization, AuthorizationKind, ClientAuthentication, Field, Invalid, OAuth2, Webhook,
    trim_pasted,
};

use crate::schema::Input;

/// Columns of the type `oauth2`, which must be empty with every other type.
const OAUTH2: [Field; 3] = [
    Field::OAuthTokenUrl,
    Field::OAuthClientId,
    Field::OAuthScope,
];

/// Returns the columns of a response: all except the value.
pub(super) fn columns(
    authorization: &Authorization,
) -> impl Iterator<Item = (&'static str, Value)> {
    let mut oauth2 = ["", "", "", ClientAuthentication::default().as_str()];
    if let Authorization::OAuth2(client) = authorization {
        oauth2 = [
            client.token_url().as_str(),
            client.client_id(),
            client.scope(),
            client.authentication().as_str(),
        ];
    }
    let [token_url, client_id, scope, client_auth] = oauth2;
    let columns = [
        ("authorization_type", authorization.kind().as_str()),
        (Field::OAuthTokenUrl.as_str(), token_url),
        (Field::OAuthClientId.as_str(), client_id),
        (Field::OAuthScope.as_str(), scope),
        (Field::OAuthClientAuthentication.as_str(), client_auth),
    ];
    columns
        .map(|(name, text)| (name, Value::from(text)))
        .into_iter()
}

/// Applies the columns of the authorization, each of which may be missing: a value without a type
/// belongs to the stored type, and a type without a value keeps the value if it is the same type.
pub(super) fn apply(webhook: &mut Webhook, input: &Input) -> Result<(), Invalid> {
    let present = webhook.authorization.kind();
    let kind = input
        .text("authorization_type")
        .map_or(Ok(present), AuthorizationKind::parse)?;
    let value = input.text("authorization_value").map(trim_pasted);
    if kind == AuthorizationKind::OAuth2 {
        let client = client(&webhook.authorization, value, input)?;
        webhook.authorization = Authorization::OAuth2(Box::new(client));
        return Ok(());
    }
    let misplaced = |field: &Field| {
        input
            .text(field.as_str())
            .is_some_and(|t| !trim_pasted(t).is_empty())
    };
    if let Some(field) = OAUTH2.into_iter().find(misplaced) {
        let rule = "must be empty with an authorization type other than oauth2";
        return Err(Invalid::new(field, rule));
    }
    if value.is_some() || kind != present {
        webhook.authorization = Authorization::from_parts(kind, value)?;
    }
    Ok(())
}

/// Applies the columns of an OAuth 2 client; a column that was not sent is unchanged.
fn client(present: &Authorization, secret: Option<&str>, input: &Input) -> Result<OAuth2, Invalid> {
    let present = match present {
        Authorization::OAuth2(client) => Some(&**client),
        _ => None,
    };
    let text = |field: Field, of: fn(&OAuth2) -> &str| {
        let sent = input.text(field.as_str()).map(trim_pasted);
        sent.or(present.map(of)).unwrap_or_default()
    };
    let secret = secret.or(present.map(|client| client.client_secret().expose()));
    let client = OAuth2::new(
        text(Field::OAuthTokenUrl, |client| client.token_url().as_str()),
        text(Field::OAuthClientId, OAuth2::client_id),
        secret.unwrap_or_default(),
    )?;
    let authentication = match input.text(Field::OAuthClientAuthentication.as_str()) {
        Some(word) => ClientAuthentication::parse(word)?,
        None => present.map_or(ClientAuthentication::default(), OAuth2::authentication),
    };
    Ok(client
        .with_scope(text(Field::OAuthScope, OAuth2::scope))?
        .with_authentication(authentication))
}
