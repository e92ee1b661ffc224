//! Counts what came of each request, and slows down whoever guesses.

use std::net::IpAddr;

use super::refused::Refused;
use crate::denied::Denied;
use crate::guesses::GuessLimiter;

/// The metric of all outcomes, by label.
const METRIC: &str = "gatepost_auth_total";

pub(super) struct Outcomes {
    pub(super) guesses: GuessLimiter,
    /// Held, so that the most frequent outcome costs no lookup of its counter.
    granted: metrics::Counter,
}

impl Outcomes {
    pub(super) fn new(guesses: GuessLimiter) -> Self {
        Self {
            guesses,
            granted: metrics::counter!(METRIC, "outcome" => "granted"),
        }
    }

    /// A request without any credential: whoever presents nothing does not guess.
    pub(super) fn missing(&self) -> Denied {
        metrics::counter!(METRIC, "outcome" => "missing").increment(1);
        Denied::Unauthenticated
    }

    /// Counts a request that was let in.
    #[inline]
    pub(super) fn granted(&self) {
        self.granted.increment(1);
    }

    /// Counts a refusal of this secret, and turns one failure too many into
    /// [`Denied::TooManyFailures`].
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
