//! An OAuth 2 client and its token endpoint.

use std::fmt;

use crate::error::{Field, Invalid};
use crate::secret::Secret;
use crate::webhook::url::TargetUrl;

/// The maximum length of a client id.
const MAX_ID: usize = 1024;
/// The maximum length of a client secret.
const MAX_SECRET: usize = 4096;
/// The maximum length of a list of scopes.
const MAX_SCOPE: usize = 2048;

/// The authentication of a client at the token endpoint (RFC 6749 §2.3.1).
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ClientAuthentication {
    /// `Authorization: Basic …`, which every token endpoint must support.
    #[default]
    Basic,
    /// Fields of the form.
    Body,
}

impl ClientAuthentication {
    /// Returns the word on the wire: `basic`, `body`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Basic => "basic",
            Self::Body => "body",
        }
    }

    /// Parses the word on the wire.
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
    /// Creates a client that authenticates by `Authorization: Basic …` and requests no scope.
    ///
    /// The id has 1 to 1,024 bytes and the secret 1 to 4,096, of visible ASCII and spaces (RFC 6749
    /// Appendix A.1, A.2).
    ///
    /// # Errors
    /// Names `oauth_token_url` if it is not a [`TargetUrl`] or not `https` (RFC 6749 §3.2),
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

    /// Sets the scopes to request, separated by single spaces; empty for the token endpoint's
    /// default. At most 2,048 bytes (RFC 6749 §3.3).
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

    /// Sets the authentication.
    #[must_use]
    pub fn with_authentication(self, authentication: ClientAuthentication) -> Self {
        Self {
            authentication,
            ..self
        }
    }

    /// Returns the token endpoint; always `https`.
    #[must_use]
    pub fn token_url(&self) -> &TargetUrl {
        &self.token_url
    }

    /// Returns the client's id, which is not secret.
    #[must_use]
    pub fn client_id(&self) -> &str {
        &self.client_id
    }

    /// Returns the client's secret.
    #[must_use]
    pub fn client_secret(&self) -> &Secret {
        &self.client_secret
    }

    /// Returns the requested scopes, separated by spaces; empty for none.
    #[must_use]
    pub fn scope(&self) -> &str {
        &self.scope
    }

    /// Returns the authentication.
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
