//! Where and how to send (SPEC 2.2).

mod authorization;
mod headers;
mod limits;
mod signing;
mod url;

pub use authorization::{Authorization, AuthorizationKind};
pub use headers::{Header, Headers};
pub use limits::{RateLimit, Retries, Timeout};
pub use signing::{SigningSecret, SigningSecrets};
pub use url::TargetUrl;

use crate::error::{Field, Invalid};
use crate::{OwnerId, Secret, WebhookName};

/// The header that carries an API key unless the headers name another.
const API_KEY_HEADER: &str = "X-API-Key";

/// Whether a webhook sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Activity {
    /// It sends.
    #[default]
    Active,
    /// Paused by hand: what occurs is queued and waits.
    Paused,
    /// Disabled, by hand or by the host's policy: what occurs is queued and waits.
    Disabled,
}

/// Whether deliveries keep the order in which they were queued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum DeliveryOrder {
    /// Many at a time, in no promised order.
    #[default]
    Unordered,
    /// One at a time; a failing one holds up those behind it until it has ended.
    InOrder,
}

/// A webhook.
#[derive(Debug, Clone, PartialEq)]
pub struct Webhook {
    /// The user who owns it.
    pub owner: OwnerId,
    /// A descriptive name.
    pub name: WebhookName,
    /// The endpoint.
    pub url: TargetUrl,
    /// What authenticates us to the target.
    pub authorization: Authorization,
    /// Custom headers, in order.
    pub headers: Headers,
    /// Accepts certificates that cannot be verified: for test and development (SPEC 2.2).
    pub allow_insecure: bool,
    /// How long to wait for the target's answer.
    pub timeout: Timeout,
    /// Reattempts after the first attempt.
    pub retries: Retries,
    /// Whether it sends.
    pub activity: Activity,
    /// Whether deliveries keep their order.
    pub order: DeliveryOrder,
    /// Secrets that sign deliveries; none means that they are not signed.
    pub signing: SigningSecrets,
    /// The most requests a second, if limited.
    pub rate: Option<RateLimit>,
}

/// A header as it goes out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestHeader {
    /// The name, as it was written.
    pub name: String,
    /// The value; may be a credential, so it is a secret.
    pub value: Secret,
    /// Whether the value is a credential and must be hidden wherever headers are shown.
    pub sensitive: bool,
}

impl Webhook {
    /// A webhook with the defaults of SPEC 2.2: JSON content type, no authorization, certificates verified,
    /// 5 seconds, 3 retries.
    #[must_use]
    pub fn new(owner: OwnerId, name: WebhookName, url: TargetUrl) -> Self {
        Self {
            owner,
            name,
            url,
            authorization: Authorization::None,
            headers: Headers::default(),
            allow_insecure: false,
            timeout: Timeout::default(),
            retries: Retries::default(),
            activity: Activity::default(),
            order: DeliveryOrder::default(),
            signing: SigningSecrets::none(),
            rate: None,
        }
    }

    /// Checks what no field can tell alone: headers and authorization must not both set one header.
    ///
    /// # Errors
    /// Names `headers` when a custom header stands in the way of the authorization, or uses `${APIKEY}` without
    /// an API key.
    pub fn check(&self) -> Result<(), Invalid> {
        self.request_headers().map(drop)
    }

    /// The headers of a request: the custom ones in order, then that of the authorization. With the type
    /// API key, a line `Name: ${APIKEY}` among the custom ones carries the key in its place, else
    /// `X-API-Key` does (SPEC 5.2).
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn request_headers(&self) -> Result<Vec<RequestHeader>, Invalid> {
        let refuse = |rule: &'static str| Err(Invalid::new(Field::Headers, rule));
        let named = self.headers.iter().filter(|h| h.holds_api_key()).count();
        let has = |name: &str| {
            self.headers
                .iter()
                .any(|h| h.name().eq_ignore_ascii_case(name))
        };
        let api_key = match &self.authorization {
            Authorization::ApiKey(key) => Some(key),
            _ => None,
        };
        match (named, api_key) {
            (0, _) | (1, Some(_)) => {}
            (_, None) => {
                return refuse("must not use ${APIKEY}: the authorization type is not apikey");
            }
            _ => return refuse("must use ${APIKEY} once at the most"),
        }
        if self.authorization != Authorization::None
            && has("Authorization")
            && !(api_key.is_some()
                && self
                    .headers
                    .iter()
                    .any(|h| h.holds_api_key() && h.name().eq_ignore_ascii_case("Authorization")))
        {
            return refuse(
                "must not set Authorization beside an authorization type other than none",
            );
        }
        if api_key.is_some() && named == 0 && has(API_KEY_HEADER) {
            return refuse(
                "must not set X-API-Key: the API key stands there; write the value ${APIKEY} to choose its place",
            );
        }

        let mut out: Vec<RequestHeader> = self
            .headers
            .iter()
            .map(|header| match api_key {
                Some(key) if header.holds_api_key() => RequestHeader {
                    name: header.name().to_owned(),
                    value: key.clone(),
                    sensitive: true,
                },
                _ => RequestHeader {
                    name: header.name().to_owned(),
                    value: Secret::new(header.value()),
                    sensitive: header.is_sensitive(),
                },
            })
            .collect();
        if named == 0
            && let Some((name, value)) = self.authorization.header(API_KEY_HEADER)
        {
            out.push(RequestHeader {
                name: name.to_owned(),
                value,
                sensitive: true,
            });
        }
        Ok(out)
    }
}
