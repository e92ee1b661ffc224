//! The time for which a client that sends nothing may keep a turn.

use std::time::Duration;

use tokio::time::Instant;

use super::activity::PIECE;
use super::limits::ServeLimits;
use super::turns::Claim;

/// The time for which a turn is held for a client that sends nothing while another request waits
/// for the turn.
#[derive(Debug)]
pub(super) struct Patience {
    turn: Claim,
    lasts: Duration,
    look: Duration,
    /// The time since which this number of bytes is awaited.
    waits: Option<(Instant, usize)>,
}

impl Patience {
    pub(super) fn new(turn: Claim, limits: &ServeLimits) -> Self {
        Self {
            turn,
            lasts: limits.patience,
            look: limits.look(),
            waits: None,
        }
    }

    /// Notes that the server waits for the client.
    pub(super) fn waits(&mut self) {
        self.waits.get_or_insert_with(|| (Instant::now(), PIECE));
    }

    /// Notes that the client sent this number of bytes.
    pub(super) fn came(&mut self, bytes: usize) {
        let left = self.waits.take().filter(|(_, left)| *left > bytes);
        self.waits = left.map(|(since, left)| (since, left - bytes));
    }

    /// Returns whether another request must have the turn.
    pub(super) fn is_over(&self, now: Instant) -> bool {
        let waited = self
            .waits
            .is_some_and(|(since, _)| since + self.lasts <= now);
        waited && self.turn.is_wanted()
    }

    /// Returns the time of the next check: no notification says that another request waits.
    pub(super) fn next(&self, now: Instant) -> Instant {
        let end = self.waits.map(|(since, _)| since + self.lasts);
        end.filter(|end| *end > now).unwrap_or(now + self.look)
    }
}
