//! A client and its token endpoint.

use std::fmt;

use crate::error::{Field, Invalid};
use crate::secret::Secret;
use crate::webhook::url::TargetUrl;

/// Longer client ids are refused.
const MAX_ID: usize = 1024;
/// Longer client secrets are refused.
const MAX_SECRET: usize = 4096;
/// Longer lists of scopes are refused.
const MAX_SCOPE: usize = 2048;

/// How a client proves to the token endpoint who it is (RFC 6749 §2.3.1).
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ClientAuthentication {
    /// By `Authorization: Basic …`, which every token endpoint has to support.
    #[default]
    Basic,
    /// By fields of the form.
    Body,
}

impl ClientAuthentication {
    /// The word on the wire: `basic`, `body`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Basic => "basic",
            Self::Body => "body",
        }
    }

    /// The way of that word.
    ///
    /// # Errors
    /// Any other word.
    pub fn parse(word: &str) -> Result<Self, Invalid> {
        [Self::Basic, Self::Body]
            .into_iter()
            .find(|way| way.as_str() == word)
            .ok_or_else(|| {
                let rule = "must be one of basic, body";
                Invalid::new(Field::OAuthClientAuthentication, rule)
            })
    }
}

impl fmt::Display for ClientAuthentication {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A client of a token endpoint, with its secret, which `Debug` does not show.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct OAuth2 {
    token_url: TargetUrl,
    client_id: String,
    client_secret: Secret,
    scope: String,
    authentication: ClientAuthentication,
}

impl OAuth2 {
    /// A client, which proves who it is by `Authorization: Basic …` and asks for no scope.
    ///
    /// The id has 1 to 1,024 bytes and the secret 1 to 4,096, of visible ASCII and spaces (RFC 6749
    /// Appendix A.1, A.2).
    ///
    /// # Errors
    /// Names `oauth_token_url` for what is no [`TargetUrl`] or not `https` (RFC 6749 §3.2),
    /// `oauth_client_id`, or `authorization_value` for the secret.
    pub fn new(token_url: &str, client_id: &str, client_secret: &str) -> Result<Self, Invalid> {
        check(Field::OAuthClientId, client_id, MAX_ID)?;
        check(Field::AuthorizationValue, client_secret, MAX_SECRET)?;
        Ok(Self {
            token_url: token_endpoint(token_url)?,
            client_id: client_id.to_owned(),
            client_secret: Secret::new(client_secret),
            scope: String::new(),
            authentication: ClientAuthentication::default(),
        })
    }

    /// Asks for these scopes, separated by single spaces; the token endpoint's own choice if empty.
    /// At most 2,048 bytes (RFC 6749 §3.3).
    ///
    /// # Errors
    /// Names `oauth_scope` for other characters, other spaces, or a longer text.
    pub fn with_scope(self, scope: &str) -> Result<Self, Invalid> {
        let refuse = |rule: &'static str| Err(Invalid::new(Field::OAuthScope, rule));
        if scope.len() > MAX_SCOPE {
            return refuse("must be at most 2048 bytes");
        }
        let fits = |c: u8| matches!(c, b'!' | b'#'..=b'[' | b']'..=b'~');
        let mut words = scope.split(' ').filter(|_| !scope.is_empty());
        if !words.all(|word| !word.is_empty() && word.bytes().all(fits)) {
            return refuse(
                "must be words of visible ASCII without quotes and backslashes, separated by one space",
            );
        }
        Ok(Self {
            scope: scope.to_owned(),
            ..self
        })
    }

    /// Proves in this way who it is.
    #[must_use]
    pub fn with_authentication(self, authentication: ClientAuthentication) -> Self {
        Self {
            authentication,
            ..self
        }
    }

    /// The token endpoint; always `https`.
    #[must_use]
    pub fn token_url(&self) -> &TargetUrl {
        &self.token_url
    }

    /// The client's id, which is no secret.
    #[must_use]
    pub fn client_id(&self) -> &str {
        &self.client_id
    }

    /// The client's secret.
    #[must_use]
    pub fn client_secret(&self) -> &Secret {
        &self.client_secret
    }

    /// The scopes that are asked for, separated by spaces; empty for none.
    #[must_use]
    pub fn scope(&self) -> &str {
        &self.scope
    }

    /// How it proves who it is.
    #[must_use]
    pub fn authentication(&self) -> ClientAuthentication {
        self.authentication
    }
}

fn token_endpoint(text: &str) -> Result<TargetUrl, Invalid> {
    let refuse = |rule: String| Invalid::new(Field::OAuthTokenUrl, rule);
    let url: TargetUrl = text
        .parse()
        .map_err(|invalid: Invalid| refuse(invalid.rule().to_owned()))?;
    if url.as_url().scheme() != "https" {
        return Err(refuse("must begin with https:// (RFC 6749 §3.2)".into()));
    }
    Ok(url)
}

fn check(field: Field, text: &str, most: usize) -> Result<(), Invalid> {
    if text.is_empty() {
        return Err(Invalid::new(field, "is required with the type oauth2"));
    }
    if text.len() > most {
        return Err(Invalid::new(field, format!("must be at most {most} bytes")));
    }
    if !text.bytes().all(|b| (b' '..=b'~').contains(&b)) {
        return Err(Invalid::new(field, "must be visible ASCII (RFC 6749)"));
    }
    Ok(())
}
