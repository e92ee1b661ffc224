//! Error classes that a user can act on.

use std::time::Duration;

use super::fault::{ConnectFault, DnsFault, Phase, ProxyFault, TlsFault};
use crate::egress::TargetRefusal;
use crate::request::RequestError;
use crate::retry::Retryable;

/// The class of a failed attempt.
///
/// The `Display` text may be shown to the owner of a webhook: it contains no header value, no body,
/// and no address behind a host name. [`code`](Self::code) is the stable short form for logs,
/// metrics and filters.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum ErrorClass {
    /// The request cannot be built. Never retried.
    #[error("the request cannot be built: {0}")]
    Build(#[from] RequestError),
    /// No connection was established.
    #[error("could not connect: {0}")]
    Connect(ConnectFault),
    /// The host name has no address, or the name service failed.
    #[error("could not resolve the host name: {0}")]
    Dns(DnsFault),
    /// The response is not HTTP.
    #[error("the target's response is not valid HTTP")]
    Protocol,
    /// The proxy did not connect to the target.
    #[error("the proxy failed: {0}")]
    Proxy(ProxyFault),
    /// The target policy forbids the target. Never retried.
    #[error("{0}")]
    Refused(#[from] TargetRefusal),
    /// The connection ended before a response.
    #[error("the target closed the connection before it responded")]
    Reset,
    /// A response with a status other than 2xx.
    #[error("the target responded with status {0}")]
    Status(u16),
    /// The timeout of the attempt expired.
    #[error("timed out while {0}")]
    Timeout(Phase),
    /// The connection could not be secured.
    #[error("TLS: {0}")]
    Tls(TlsFault),
    /// There was no access token, so no request was sent. The caller creates it: the sender itself
    /// does not know tokens.
    #[error("no access token from the token endpoint: {0}")]
    Token(TokenFault),
    /// The response's head exceeds the sender's limit (32 KiB, 256 lines).
    #[error("the head of the target's response is too large")]
    TooLarge,
}

impl ErrorClass {
    /// Returns the stable short form: `build`, `connect`, `dns`, `protocol`, `proxy`, `refused`,
    /// `reset`, `status`, `timeout`, `tls`, `token` or `too_large`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Build(_) => "build",
            Self::Connect(_) => "connect",
            Self::Dns(_) => "dns",
            Self::Protocol => "protocol",
            Self::Proxy(_) => "proxy",
            Self::Refused(_) => "refused",
            Self::Reset => "reset",
            Self::Status(_) => "status",
            Self::Timeout(_) => "timeout",
            Self::Tls(_) => "tls",
            Self::Token(_) => "token",
            Self::TooLarge => "too_large",
        }
    }

    /// Returns whether repeating the attempt may help. `retry_after` is the receiver's request,
    /// which counts on 429 and 503 only.
    #[must_use]
    pub fn retryable(&self, retry_after: Option<Duration>) -> Retryable {
        match (self, retry_after) {
            (Self::Build(_) | Self::Refused(_), _) => Retryable::No,
            (Self::Status(429 | 503), Some(wish)) => Retryable::After(wish),
            (Self::Token(TokenFault::Failed(class)), wish) => class.retryable(wish),
            _ => Retryable::Yes,
        }
    }
}

/// The reason why a token endpoint issued no access token (RFC 6749).
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum TokenFault {
    /// The request failed.
    #[error("{0}")]
    Failed(Box<ErrorClass>),
    /// The token endpoint did not respond in time: another delivery was waiting for it.
    #[error("none came in time")]
    Late,
    /// The token endpoint responded with this status, and possibly with an error code of RFC 6749
    /// §5.2.
    #[error("it responded with status {status}{}", with(*code))]
    Refused {
        /// The status.
        status: u16,
        /// The code; never another text of the response.
        code: Option<&'static str>,
    },
    /// Its response contains no usable token, for this reason.
    #[error("its response is not understood: {0}")]
    Response(&'static str),
}

fn with(code: Option<&'static str>) -> String {
    code.map_or_else(String::new, |code| format!(" ({code})"))
}
