//! How long a client that sends nothing may keep a turn.

use std::time::Duration;

use tokio::time::Instant;

use super::activity::PIECE;
use super::limits::ServeLimits;
use super::turns::Claim;

/// How long a turn is held for a client that sends nothing while another request would have it.
#[derive(Debug)]
pub(super) struct Patience {
    turn: Claim,
    lasts: Duration,
    look: Duration,
    /// Since when it is waited for this number of bytes.
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

    /// It is waited for the client.
    pub(super) fn waits(&mut self) {
        self.waits.get_or_insert_with(|| (Instant::now(), PIECE));
    }

    /// The client sent this number of bytes.
    pub(super) fn came(&mut self, bytes: usize) {
        let left = self.waits.take().filter(|(_, left)| *left > bytes);
        self.waits = left.map(|(since, left)| (since, left - bytes));
    }

    /// Whether the turn has to go to another.
    pub(super) fn is_over(&self, now: Instant) -> bool {
        let waited = self
            .waits
            .is_some_and(|(since, _)| since + self.lasts <= now);
        waited && self.turn.is_wanted()
    }

    /// When to look again: nobody says when a turn begins to be wanted.
    pub(super) fn next(&self, now: Instant) -> Instant {
        let end = self.waits.map(|(since, _)| since + self.lasts);
        end.filter(|end| *end > now).unwrap_or(now + self.look)
    }
}
