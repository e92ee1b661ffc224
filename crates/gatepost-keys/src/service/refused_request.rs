//! A refused request: the response for the caller, and the reason for the log.

use apikey_core::KeyRefusal;

use crate::denial::Denied;
use crate::throttle::RateState;

/// The response, and the true reason for the log and the metrics.
#[derive(Clone, Copy, Debug)]
pub(super) struct Refused {
    pub(super) denied: Denied,
    pub(super) reason: &'static str,
}

impl Refused {
    /// Creates a refusal as for a caller without a valid credential, whatever the reason.
    pub(super) fn unauthenticated(reason: &'static str) -> Self {
        Self {
            denied: Denied::Unauthenticated,
            reason,
        }
    }

    /// Creates a refusal for a valid key that was used too often.
    pub(super) fn throttled(over: RateState) -> Self {
        Self {
            denied: Denied::TooManyRequests(over),
            reason: "too_many_requests",
        }
    }
}

impl From<KeyRefusal> for Refused {
    /// The caller receives the reason only if it is the address.
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
