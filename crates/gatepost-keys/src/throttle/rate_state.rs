use std::time::Duration;

use apikey_core::RateLimit;
use http::{HeaderMap, HeaderName, HeaderValue};

const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const RATE: HeaderName = HeaderName::from_static("ratelimit");

/// The requests that a limit counts.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum RateOf {
    /// The requests of one key.
    Key,
    /// The requests of all keys of its owner.
    Owner,
}

/// The state of the limit that is nearest for a request.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub struct RateState {
    /// The requests that are counted.
    pub of: RateOf,
    /// The limit.
    pub limit: RateLimit,
    /// The number of further requests that are allowed now; 0 for a refused request.
    pub remaining: u32,
    /// The time until the requests of a whole minute are allowed again; for a refused request,
    /// until one is.
    pub reset: Duration,
}

impl RateState {
    /// Returns [`reset`](Self::reset) in whole seconds, rounded up and at least 1: the value of
    /// `Retry-After` (RFC 9110 §10.2.3).
    #[must_use]
    pub fn seconds(&self) -> u64 {
        let whole = self.reset.as_secs() + u64::from(self.reset.subsec_nanos() > 0);
        whole.max(1)
    }

    /// Returns the value of `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-09 §3): the
    /// quota and its window in seconds.
    #[must_use]
    pub fn policy(&self) -> String {
        format!("{};q={};w=60", self.name(), self.limit.requests())
    }

    /// Returns the value of `RateLimit` (the same draft, §4): the remaining requests, and the
    /// seconds until all are available.
    #[must_use]
    pub fn field(&self) -> String {
        format!("{};r={};t={}", self.name(), self.remaining, self.seconds())
    }

    /// Sets both headers of a response, and replaces existing values.
    pub fn set_headers(&self, headers: &mut HeaderMap) {
        for (name, value) in [(POLICY, self.policy()), (RATE, self.field())] {
            if let Ok(value) = HeaderValue::try_from(value) {
                headers.insert(name, value);
            }
        }
    }

    /// Returns a string of structured fields (RFC 9651 §3.3.3).
    fn name(&self) -> &'static str {
        match self.of {
            RateOf::Key => r#""key""#,
            RateOf::Owner => r#""owner""#,
        }
    }
}
