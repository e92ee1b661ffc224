//! How hard one host may be pressed: a pure state machine for whoever sends to it.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

use crate::outcome::{AttemptOutcome, ErrorClass, Phase};

#[cfg(test)]
mod tests;

/// Failures to connect in a row after which attempts are spaced.
const PATIENCE: u32 = 3;
/// The first space between attempts; it doubles with each further failure.
const FIRST_SPACE: Duration = Duration::from_secs(1);
/// The longest space between attempts.
const LONGEST_SPACE: Duration = Duration::from_secs(60);
/// The limit is kept in hundredths, so that a success can raise it by a part.
const ONE: u32 = 100;

/// Spaces attempts to a host that cannot be reached, and adapts how many run at once.
///
/// After three failures to connect in a row one attempt at a time is let through, each 1 s, 2 s,
/// 4 s … 60 s after the last failure, until a connection comes about. The number of attempts at
/// once grows by one for each round of successes, and is halved by 429, 503 and timeouts, down to
/// one and up to a ceiling. Holds no clock and starts nothing: the caller asks and reports.
///
/// ```
/// use delivery::{ConnectFault, ErrorClass, HostGate};
///
/// let now = chrono::DateTime::from_timestamp(0, 0).unwrap();
/// let mut gate = HostGate::new(32);
/// for _ in 0..3 {
///     assert!(gate.enter(now).is_ok());
///     gate.leave(&Err(ErrorClass::Connect(ConnectFault::Refused)), now);
/// }
/// assert!(gate.enter(now).is_err());
/// assert!(gate.enter(now + chrono::TimeDelta::seconds(1)).is_ok());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostGate {
    ceiling: u32,
    limit: u32,
    in_flight: u32,
    failures: u32,
    closed_until: Option<DateTime<Utc>>,
}

/// Why an attempt has to wait.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GateClosed {
    /// As many attempts as the host bears are under way.
    #[error("enough attempts to this host are under way")]
    Full,
    /// The host could not be reached; the next attempt is due at this time.
    #[error("the host could not be reached; next attempt at {0}")]
    Until(DateTime<Utc>),
}

impl HostGate {
    /// A gate that lets at most `ceiling` attempts run at once (at least one). It begins at the
    /// ceiling: a host is trusted until it shows strain.
    #[must_use]
    pub fn new(ceiling: u32) -> Self {
        let ceiling = ceiling.clamp(1, u32::MAX / ONE);
        Self {
            ceiling,
            limit: ceiling * ONE,
            in_flight: 0,
            failures: 0,
            closed_until: None,
        }
    }

    /// How many attempts may run at once for now.
    #[must_use]
    pub fn limit(&self) -> u32 {
        self.limit / ONE
    }

    /// How many attempts are under way.
    #[must_use]
    pub fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// Asks to begin an attempt. Each `Ok` has to be followed by one [`leave`](Self::leave) or
    /// [`abandon`](Self::abandon).
    ///
    /// # Errors
    ///
    /// [`GateClosed`] when the attempt has to wait.
    pub fn enter(&mut self, now: DateTime<Utc>) -> Result<(), GateClosed> {
        if let Some(until) = self.closed_until {
            // A clock that was set back must not close the gate for longer than it may be.
            let until = until.min(after(now, LONGEST_SPACE));
            self.closed_until = Some(until);
            if now < until {
                return Err(GateClosed::Until(until));
            }
            if self.in_flight > 0 {
                return Err(GateClosed::Full); // one probe at a time
            }
        }
        if self.in_flight >= self.limit() {
            return Err(GateClosed::Full);
        }
        self.in_flight += 1;
        Ok(())
    }

    /// Reports how an attempt ended.
    pub fn leave(&mut self, outcome: &AttemptOutcome, now: DateTime<Utc>) {
        self.in_flight = self.in_flight.saturating_sub(1);
        let unreached = outcome.as_ref().is_err_and(is_unreached);
        let strained = matches!(
            outcome,
            Err(ErrorClass::Status(429 | 503) | ErrorClass::Timeout(_))
        );
        if unreached {
            self.failures = self.failures.saturating_add(1);
            self.closed_until = space(self.failures).map(|space| after(now, space));
        } else if !matches!(outcome, Err(ErrorClass::Build(_) | ErrorClass::Refused(_))) {
            self.failures = 0;
            self.closed_until = None;
        }
        if strained {
            self.limit = (self.limit / 2).max(ONE);
        } else if outcome.is_ok() {
            // One more for as many successes as may run at once.
            self.limit = (self.limit + ONE / self.limit().max(1)).min(self.ceiling * ONE);
        }
    }

    /// Reports that an attempt was given up without an outcome.
    pub fn abandon(&mut self) {
        self.in_flight = self.in_flight.saturating_sub(1);
    }
}

/// Whether no connection came about.
fn is_unreached(class: &ErrorClass) -> bool {
    matches!(
        class,
        ErrorClass::Connect(_)
            | ErrorClass::Dns(_)
            | ErrorClass::Proxy(_)
            | ErrorClass::Tls(_)
            | ErrorClass::Timeout(Phase::Connect | Phase::Dns | Phase::Proxy | Phase::Tls)
    )
}

fn space(failures: u32) -> Option<Duration> {
    let doublings = failures.checked_sub(PATIENCE)?;
    let factor = 1u32.checked_shl(doublings).unwrap_or(u32::MAX);
    Some(FIRST_SPACE.saturating_mul(factor).min(LONGEST_SPACE))
}

fn after(now: DateTime<Utc>, space: Duration) -> DateTime<Utc> {
    TimeDelta::from_std(space)
        .ok()
        .and_then(|space| now.checked_add_signed(space))
        .unwrap_or(DateTime::<Utc>::MAX_UTC)
}
