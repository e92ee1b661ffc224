use std::time::Duration;

use apikey_core::RateLimit;
use http::{HeaderMap, HeaderName, HeaderValue};

const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const RATE: HeaderName = HeaderName::from_static("ratelimit");

/// Whose requests a limit counts.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum RateOf {
    /// Those of one key.
    Key,
    /// Those of all keys of its owner.
    Owner,
}

/// How a request stands to the limit that is nearest to it.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub struct RateStanding {
    /// Whose requests are counted.
    pub of: RateOf,
    /// How many there may be.
    pub limit: RateLimit,
    /// For how many more there is room now; 0 of one that was refused.
    pub remaining: u32,
    /// After how long there is room for a minute's requests again; of a request that was refused,
    /// for one.
    pub reset: Duration,
}

impl RateStanding {
    /// [`reset`](Self::reset) in whole seconds, rounded up and at least 1: the value of
    /// `Retry-After` (RFC 9110 §10.2.3).
    #[must_use]
    pub fn seconds(&self) -> u64 {
        let whole = self.reset.as_secs() + u64::from(self.reset.subsec_nanos() > 0);
        whole.max(1)
    }

    /// The value of `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-09 §3): the quota and
    /// its window in seconds.
    #[must_use]
    pub fn policy(&self) -> String {
        format!("{};q={};w=60", self.name(), self.limit.requests())
    }

    /// The value of `RateLimit` (the same draft, §4): what remains, and seconds until it is whole.
    #[must_use]
    pub fn field(&self) -> String {
        format!("{};r={};t={}", self.name(), self.remaining, self.seconds())
    }

    /// Says both in a response, in place of what it said before.
    pub fn set_headers(&self, headers: &mut HeaderMap) {
        for (name, value) in [(POLICY, self.policy()), (RATE, self.field())] {
            if let Ok(value) = HeaderValue::try_from(value) {
                headers.insert(name, value);
            }
        }
    }

    /// A string of structured fields (RFC 9651 §3.3.3).
    fn name(&self) -> &'static str {
        match self.of {
            RateOf::Key => r#""key""#,
            RateOf::Owner => r#""owner""#,
        }
    }
}
