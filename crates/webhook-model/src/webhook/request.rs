//! The headers of a request: the custom ones, and that of the authorization (SPEC 5.2).

use super::authorization::Authorization;
use super::headers::Header;
use super::record::Webhook;
use crate::error::{Field, Invalid};
use crate::secret::Secret;

/// The header for a bearer token, or a user with a password.
const AUTHORIZATION: &str = "Authorization";
/// The header for an API key, unless the custom headers name another.
const API_KEY_HEADER: &str = "X-API-Key";

/// A header of a request.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct RequestHeader {
    /// The name, as it was written.
    pub name: String,
    /// The value, as a secret, since it may be a credential.
    pub value: Secret,
    /// Whether the value is a credential and must be masked in any display.
    pub sensitive: bool,
}

impl Webhook {
    /// Checks rules across fields: headers and authorization must not both set one header, and a
    /// client certificate needs a target that can request it.
    ///
    /// # Errors
    /// Names `client_certificate` if there is one and the URL is not `https`.
    ///
    /// Names `headers` if a custom header collides with the authorization, or uses `${APIKEY}`
    /// without an API key, twice, or as a part of a longer value.
    pub fn check(&self) -> Result<(), Invalid> {
        if self.client_identity.is_some() && self.url.as_url().scheme() != "https" {
            let rule = "must be empty with a url that does not begin with https://";
            return Err(Invalid::new(Field::ClientCertificate, rule));
        }
        self.placeholder()
            .and_then(|placeholder| self.check_collisions(placeholder))
    }

    /// Returns the headers of a request: the custom ones in order, then that of the authorization.
    /// For an API key, a custom line `Name: ${APIKEY}` contains the key; without such a line
    /// `X-API-Key` does (SPEC 5.2). The access token of an OAuth 2 client is not included: the
    /// sender adds it.
    ///
    /// # Errors
    /// The errors of [`check`](Self::check).
    pub fn request_headers(&self) -> Result<Vec<RequestHeader>, Invalid> {
        let placeholder = self.placeholder()?;
        self.check_collisions(placeholder)?;

        let credential = self.authorization.header_value();
        let mut out: Vec<RequestHeader> = self
            .headers
            .iter()
            .map(|header| match &credential {
                Some(key) if header.holds_api_key() => credential_header(header.name(), key),
                _ => RequestHeader {
                    name: header.name().to_owned(),
                    value: Secret::new(header.value()),
                    sensitive: header.is_sensitive(),
                },
            })
            .collect();
        if let (None, Some(name), Some(value)) = (placeholder, self.carrier(None), &credential) {
            out.push(credential_header(name, value));
        }
        Ok(out)
    }

    /// Returns the line whose value is `${APIKEY}`, if there is one.
    fn placeholder(&self) -> Result<Option<&Header>, Invalid> {
        if self.headers.iter().any(Header::mentions_api_key) {
            return Err(refuse(
                "must have ${APIKEY} as a whole value: no prefix is added to a key",
            ));
        }
        let mut lines = self.headers.iter().filter(|h| h.holds_api_key());
        let first = lines.next();
        if first.is_some() && !matches!(self.authorization, Authorization::ApiKey(_)) {
            return Err(refuse(
                "must not use ${APIKEY}: the authorization type is not apikey",
            ));
        }
        if lines.next().is_some() {
            return Err(refuse("must use ${APIKEY} at most once"));
        }
        Ok(first)
    }

    /// Returns the name of the header with the credential.
    fn carrier<'a>(&self, placeholder: Option<&'a Header>) -> Option<&'a str> {
        match self.authorization {
            Authorization::None => None,
            Authorization::Bearer(_) | Authorization::Basic { .. } | Authorization::OAuth2(_) => {
                Some(AUTHORIZATION)
            }
            Authorization::ApiKey(_) => Some(placeholder.map_or(API_KEY_HEADER, Header::name)),
        }
    }

    /// Checks that no second line names the header with the credential, and that none is
    /// `Authorization` if the type is not none: a receiver would have to guess which one counts.
    fn check_collisions(&self, placeholder: Option<&Header>) -> Result<(), Invalid> {
        let Some(carrier) = self.carrier(placeholder) else {
            return Ok(());
        };
        for header in self.headers.iter().filter(|h| !h.holds_api_key()) {
            if header.name().eq_ignore_ascii_case(AUTHORIZATION) {
                return Err(refuse(
                    "must not set Authorization with an authorization type other than none",
                ));
            }
            if header.name().eq_ignore_ascii_case(carrier) {
                return Err(Invalid::new(
                    Field::Headers,
                    format!(
                        "must not set {carrier}: it carries the API key; a line 'Name: ${{APIKEY}}' names another header"
                    ),
                ));
            }
        }
        Ok(())
    }
}

fn credential_header(name: &str, value: &Secret) -> RequestHeader {
    RequestHeader {
        name: name.to_owned(),
        value: value.clone(),
        sensitive: true,
    }
}

fn refuse(rule: &'static str) -> Invalid {
    Invalid::new(Field::Headers, rule)
}
