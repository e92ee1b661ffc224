//! The record of one attempt.

use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

use chrono::{DateTime, Utc};

use super::captured::{CapturedBody, CapturedHead};
use super::class::ErrorClass;
use crate::retry::Retryable;

/// The 2xx status of a success, or the class of the failure.
pub type AttemptOutcome = Result<u16, ErrorClass>;

/// The HTTP version of a response.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Protocol {
    /// HTTP/1.0 or HTTP/1.1.
    Http1,
    /// HTTP/2.
    Http2,
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Http1 => "HTTP/1.1",
            Self::Http2 => "HTTP/2",
        })
    }
}

/// The durations of the phases of an attempt; `None` for a phase that was not reached or not
/// needed.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Timings {
    /// Resolving the host name.
    pub dns: Option<Duration>,
    /// Opening the connection, with the proxy's part.
    pub connect: Option<Duration>,
    /// The TLS handshake.
    pub tls: Option<Duration>,
    /// The time from the first byte of the request to the response's head.
    pub head: Option<Duration>,
    /// Reading the captured body.
    pub body: Option<Duration>,
}

impl Timings {
    /// Returns the sums of two requests.
    #[must_use]
    pub fn and(self, then: Self) -> Self {
        let both = |a: Option<Duration>, b: Option<Duration>| match (a, b) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        };
        Self {
            dns: both(self.dns, then.dns),
            connect: both(self.connect, then.connect),
            tls: both(self.tls, then.tls),
            head: both(self.head, then.head),
            body: both(self.body, then.body),
        }
    }
}

/// The record of one attempt. It contains no secret of the sender.
#[non_exhaustive]
#[derive(Clone, Debug)]
pub struct Attempt {
    /// Success, decided by the status line only, or the class of the failure.
    pub outcome: AttemptOutcome,
    /// The status of the response, if a head was read.
    pub status: Option<u16>,
    /// The wall time that was given for the start of the attempt.
    pub started: DateTime<Utc>,
    /// The total duration.
    pub duration: Duration,
    /// The durations of its phases.
    pub timings: Timings,
    /// The head of the request, if any of it was written: method, URL and version, then the headers
    /// in their order (for HTTP/2 by name), each line ended by CR LF. Sensitive headers and those
    /// with credentials are `(hidden)`; after 8 KiB it ends with `(cut)`.
    pub request_head: Vec<u8>,
    /// The headers of the response, if a head was read.
    pub head: Option<CapturedHead>,
    /// The first bytes of the response's body.
    pub body: CapturedBody,
    /// The time that the receiver asks to wait, on 429 and 503 only; at most 24 h.
    pub retry_after: Option<Duration>,
    /// The checked address of the connection. For operators: do not show it to a webhook's owner.
    pub address: Option<SocketAddr>,
    /// The HTTP version.
    pub protocol: Option<Protocol>,
    /// Whether the connection had served an earlier request.
    pub reused: bool,
    /// The number of followed redirects. All other fields describe the last hop, except for the
    /// times, which are sums.
    pub redirects: u8,
    /// Whether the target refused an access token with 401, and all other fields describe a second
    /// request with a new one. The caller sets it.
    pub renewed: bool,
    /// Whether the connection had served an earlier request and was lost before any byte of this
    /// response. All other fields then describe the same request, sent again over a fresh
    /// connection. The receiver may see it twice.
    pub repeated: bool,
}

impl Attempt {
    /// Creates the record of an attempt that ended before anything was sent, such as one that could
    /// not be built.
    #[must_use]
    pub fn unsent(class: ErrorClass, started: DateTime<Utc>) -> Self {
        Self {
            outcome: Err(class),
            status: None,
            started,
            duration: Duration::ZERO,
            timings: Timings::default(),
            request_head: Vec::new(),
            head: None,
            body: CapturedBody::default(),
            retry_after: None,
            address: None,
            protocol: None,
            reused: false,
            redirects: 0,
            renewed: false,
            repeated: false,
        }
    }

    /// Returns whether a 2xx status was read.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.outcome.is_ok()
    }

    /// Returns the class of the failure, if it failed.
    #[must_use]
    pub fn error(&self) -> Option<&ErrorClass> {
        self.outcome.as_ref().err()
    }

    /// Returns whether the outcome allows a retry.
    #[must_use]
    pub fn retryable(&self) -> Retryable {
        self.error()
            .map_or(Retryable::No, |class| class.retryable(self.retry_after))
    }

    /// Returns one line for a user: what happened, without any secret or internal address.
    #[must_use]
    pub fn status_info(&self) -> String {
        let mut info = match &self.outcome {
            Ok(status) => format!("delivered with status {status}"),
            Err(class) => class.to_string(),
        };
        if self.repeated {
            info.push_str(" (second request, over a new connection)");
        }
        if self.renewed {
            info.push_str(" (second request, with a new access token)");
        }
        info
    }
}
