//! Counts what came of each request, and slows down whoever guesses.

use std::net::IpAddr;

use super::refused::Refused;
use crate::denied::Denied;
use crate::failure_limiter::FailureLimiter;
use crate::principal::Principal;

/// The metric of all outcomes, by label.
const METRIC: &str = "gatepost_auth_total";

pub(super) struct Outcomes {
    failures: FailureLimiter,
    /// Held, so that the most frequent outcome costs no lookup of its counter.
    granted: metrics::Counter,
}

impl Outcomes {
    pub(super) fn new(failures: FailureLimiter) -> Self {
        Self {
            failures,
            granted: metrics::counter!(METRIC, "outcome" => "granted"),
        }
    }

    /// A request without any credential: whoever presents nothing does not guess.
    pub(super) fn missing(&self) -> Denied {
        metrics::counter!(METRIC, "outcome" => "missing").increment(1);
        Denied::Unauthenticated
    }

    /// Counts an outcome, and turns one failure too many into [`Denied::TooManyFailures`].
    pub(super) fn report(
        &self,
        outcome: Result<Principal, Refused>,
        addr: IpAddr,
    ) -> Result<Principal, Denied> {
        let Refused { denied, reason } = match outcome {
            Ok(principal) => {
                self.granted.increment(1);
                return Ok(principal);
            }
            Err(refused) => refused,
        };
        metrics::counter!(METRIC, "outcome" => reason).increment(1);
        tracing::debug!(%addr, reason, "not authenticated");
        if denied == Denied::Unauthenticated && self.failures.failed(addr) {
            return Err(Denied::TooManyFailures);
        }
        Err(denied)
    }
}
