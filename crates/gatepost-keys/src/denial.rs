//! Responses to refused requests.

use crate::guesses::RetryAfter;
use crate::throttle::RateState;

/// The reader is setting up the platform: no request has succeeded yet.
const NO_PEER: &str = r#"{"err":"The server does not know where requests come from; an axum app is served with into_make_service_with_connect_info::<SocketAddr>()"}"#;

/// The response to a refused request. All reasons that concern a key look the same, except for a
/// refused address (SPEC 7); the true reason is in the log and the metrics.
/// `Response::<String>::from(denied)` creates the whole response, for any body that is
/// `From<String>`.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Denied {
    /// 401: no credential, or no valid one.
    #[error("no good credential")]
    Unauthenticated,
    /// 403: the key is valid, the address is refused (SPEC 5.1 rule 4).
    #[error("refused from this address")]
    Address,
    /// 429: too many failures, with the time to wait. A valid key, or a valid random secret of the
    /// platform, never gets this response; a password does, and is not checked.
    #[error("too many failed logins")]
    TooManyFailures(RetryAfter),
    /// 429: the key is valid, but it or its owner has made the maximum number of requests.
    #[error("too many requests")]
    TooManyRequests(RateState),
    /// 503: the store or the platform's accounts are unavailable.
    #[error("temporarily unavailable")]
    Unavailable,
    /// 500: the platform did not supply the client address.
    #[error("the address of the peer is not known")]
    Misconfigured,
}

impl Denied {
    /// Returns the HTTP status.
    #[must_use]
    pub fn status(self) -> http::StatusCode {
        match self {
            Self::Unauthenticated => http::StatusCode::UNAUTHORIZED,
            Self::Address => http::StatusCode::FORBIDDEN,
            Self::TooManyFailures(_) | Self::TooManyRequests(_) => {
                http::StatusCode::TOO_MANY_REQUESTS
            }
            Self::Unavailable => http::StatusCode::SERVICE_UNAVAILABLE,
            Self::Misconfigured => http::StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// Returns the body of the response, as JSON.
    #[must_use]
    pub fn body(self) -> &'static str {
        match self {
            Self::Unauthenticated => r#"{"err":"Authentication required"}"#,
            Self::Address => r#"{"err":"Access denied from this address"}"#,
            Self::TooManyFailures(_) => r#"{"err":"Too many failed logins"}"#,
            Self::TooManyRequests(_) => r#"{"err":"Too many requests"}"#,
            Self::Unavailable => r#"{"err":"Temporarily unavailable"}"#,
            Self::Misconfigured => NO_PEER,
        }
    }
}
