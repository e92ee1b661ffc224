//! Requests to a token endpoint, and its responses.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use url::form_urlencoded::{self, byte_serialize};
use zeroize::Zeroizing;

use super::client::{ClientAuthentication, OAuth2};
use crate::secret::Secret;

/// The maximum length of an access token: no receiver accepts a longer header.
const MAX_TOKEN: usize = 16 * 1024;

/// The error codes of a token endpoint (RFC 6749 §5.2).
const ERRORS: [&str; 6] = [
    "invalid_request",
    "invalid_client",
    "invalid_grant",
    "unauthorized_client",
    "unsupported_grant_type",
    "invalid_scope",
];

/// The content of a `POST` request to a token endpoint (RFC 6749 §4.4.2).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TokenRequest {
    /// The value of the header `Authorization`, if there is one.
    pub authorization: Option<Secret>,
    /// The body, of the type `application/x-www-form-urlencoded`.
    pub form: Secret,
}

impl OAuth2 {
    /// Returns the request for an access token.
    #[must_use]
    pub fn token_request(&self) -> TokenRequest {
        let (id, secret) = (self.client_id(), self.client_secret().expose());
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.append_pair("grant_type", "client_credentials");
        if !self.scope().is_empty() {
            form.append_pair("scope", self.scope());
        }
        let authorization = match self.authentication() {
            ClientAuthentication::Basic => Some(basic(id, secret)),
            ClientAuthentication::Body => {
                form.append_pair("client_id", id);
                form.append_pair("client_secret", secret);
                None
            }
        };
        TokenRequest {
            authorization,
            form: Secret::new(form.finish()),
        }
    }
}

/// Returns both, encoded as in a form before they are joined (RFC 6749 §2.3.1).
fn basic(id: &str, secret: &str) -> Secret {
    let mut pair = Zeroizing::new(String::with_capacity(3 * (id.len() + secret.len()) + 1));
    pair.extend(byte_serialize(id.as_bytes()));
    pair.push(':');
    pair.extend(byte_serialize(secret.as_bytes()));
    let encoded = Zeroizing::new(STANDARD.encode(pair.as_bytes()));
    Secret::new(format!("Basic {}", *encoded))
}

/// The response of a token endpoint.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AccessToken {
    /// The token: visible ASCII without spaces, at most 16 KiB.
    pub token: Secret,
    /// Its validity period, if the endpoint returned one.
    pub expires_in: Option<Duration>,
}

#[derive(Deserialize)]
struct Response {
    access_token: Option<String>,
    token_type: Option<String>,
    expires_in: Option<Number>,
}

/// Seconds; some token endpoints write them as text.
#[derive(Deserialize)]
#[serde(untagged)]
enum Number {
    Float(f64),
    Text(String),
}

impl Number {
    fn seconds(&self) -> Option<Duration> {
        let seconds = match self {
            Self::Float(seconds) => *seconds,
            Self::Text(text) => text.trim().parse().ok()?,
        };
        Duration::try_from_secs_f64(seconds).ok()
    }
}

impl AccessToken {
    /// Parses the body of a token endpoint's response (RFC 6749 §5.1).
    ///
    /// # Errors
    /// The problem, in a text that repeats nothing of the body.
    pub fn parse(body: &[u8]) -> Result<Self, &'static str> {
        let response: Response =
            serde_json::from_slice(body).map_err(|_| "it is not the JSON object of RFC 6749")?;
        let token = response.access_token.ok_or("it has no access_token")?;
        if token.is_empty() || token.len() > MAX_TOKEN {
            return Err("its access_token is empty or longer than 16 KiB");
        }
        if !token.bytes().all(|b| b.is_ascii_graphic()) {
            return Err("its access_token has characters that no token has");
        }
        let kind = response.token_type.ok_or("it has no token_type")?;
        if !kind.eq_ignore_ascii_case("bearer") {
            return Err("its token_type is not Bearer");
        }
        Ok(Self {
            token: Secret::new(token),
            expires_in: response.expires_in.and_then(|number| number.seconds()),
        })
    }
}

/// Returns the error code of a token endpoint's response, if it is one of RFC 6749 §5.2. The rest
/// of the body must not be logged: it may repeat the request.
#[must_use]
pub fn token_error(body: &[u8]) -> Option<&'static str> {
    #[derive(Deserialize)]
    struct Refusal {
        error: String,
    }
    let refusal: Refusal = serde_json::from_slice(body).ok()?;
    ERRORS.into_iter().find(|code| *code == refusal.error)
}
