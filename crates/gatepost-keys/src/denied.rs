//! The response to a caller that is not let in.

use crate::guesses::RetryAfter;
use crate::throttle::RateStanding;

/// Who reads it is setting up the platform: nobody was ever let in.
const NO_PEER: &str = r#"{"err":"The server does not know where requests come from; an axum app is served with into_make_service_with_connect_info::<SocketAddr>()"}"#;

/// The response to a request that is not let in. Everything about a key but a refused address
/// looks the same (SPEC 7); the true reason goes to the log and the metrics. The whole response is
/// `Response::<String>::from(denied)`, for whichever body is `From<String>`.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Denied {
    /// 401: no credential, or none that is good.
    #[error("no good credential")]
    Unauthenticated,
    /// 403: the key is good, the address is not (SPEC 5.1 rule 4).
    #[error("refused from this address")]
    Address,
    /// 429: too many failures, and when to try again. A good key, or a good secret of the
    /// platform's that nobody chose, never gets this response; a password does, and is not checked.
    #[error("too many failed logins")]
    TooManyFailures(RetryAfter),
    /// 429: the key is good, and it or its owner has made as many requests as allowed.
    #[error("too many requests")]
    TooManyRequests(RateStanding),
    /// 503: the store or the platform's accounts cannot be asked now.
    #[error("temporarily unavailable")]
    Unavailable,
    /// 500: the platform did not say where the request comes from.
    #[error("the address of the peer is not known")]
    Misconfigured,
}

impl Denied {
    /// The HTTP status.
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

    /// The body of the response, as JSON.
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
