//! A caller that is not let in: what it may learn, and what the log does.

use apikey_core::KeyRefusal;

use crate::denied::Denied;
use crate::throttle::RateStanding;

/// The response, and the true reason for the log and the metrics.
#[derive(Clone, Copy, Debug)]
pub(super) struct Refused {
    pub(super) denied: Denied,
    pub(super) reason: &'static str,
}

impl Refused {
    /// Refused as one who has no good credential, whatever the reason.
    pub(super) fn unauthenticated(reason: &'static str) -> Self {
        Self {
            denied: Denied::Unauthenticated,
            reason,
        }
    }

    /// A good key that was used too often.
    pub(super) fn throttled(over: RateStanding) -> Self {
        Self {
            denied: Denied::TooManyRequests(over),
            reason: "too_many_requests",
        }
    }
}

impl From<KeyRefusal> for Refused {
    /// Only where the address is the reason may the caller learn it.
    fn from(refusal: KeyRefusal) -> Self {
        Self {
            denied: if refusal.is_ip() {
                Denied::Address
            } else {
                Denied::Unauthenticated
            },
            reason: refusal.as_str(),
        }
    }
}
