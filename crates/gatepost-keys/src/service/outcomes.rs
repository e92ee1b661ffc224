//! Counts the outcome of each request, and slows down clients that guess.

use std::net::IpAddr;

use super::refused_request::Refused;
use crate::denial::Denied;
use crate::guesses::GuessLimiter;

/// The metric of all outcomes, by label.
const METRIC: &str = "gatepost_auth_total";

pub(super) struct Outcomes {
    pub(super) guesses: GuessLimiter,
    /// Stored, so that the most frequent outcome needs no lookup of its counter.
    granted: metrics::Counter,
}

impl Outcomes {
    pub(super) fn new(guesses: GuessLimiter) -> Self {
        Self {
            guesses,
            granted: metrics::counter!(METRIC, "outcome" => "granted"),
        }
    }

    /// Counts a request without any credential: presenting nothing is not guessing.
    pub(super) fn missing(&self) -> Denied {
        metrics::counter!(METRIC, "outcome" => "missing").increment(1);
        Denied::Unauthenticated
    }

    /// Counts an authenticated request.
    #[inline]
    pub(super) fn granted(&self) {
        self.granted.increment(1);
    }

    /// Counts a refusal of this secret. Returns [`Denied::TooManyFailures`] if the address is over
    /// its limit.
    pub(super) fn refused(&self, refused: Refused, secret: &[u8], addr: IpAddr) -> Denied {
        let Refused { denied, reason } = refused;
        metrics::counter!(METRIC, "outcome" => reason).increment(1);
        tracing::debug!(%addr, reason, "not authenticated");
        if denied != Denied::Unauthenticated {
            return denied;
        }
        match self.guesses.wrong_secret(secret, addr) {
            Ok(()) => denied,
            Err(wait) => Denied::TooManyFailures(wait),
        }
    }
}
