//! What an occurrence that a user caused may run of that user's own tasks.

use std::sync::Arc;

use gatepost_ids::OwnerId;

use super::rates::Rates;

/// The runs that one occurrence takes from the minute of the user who caused it. What is not
/// [kept](Self::keep) is given back when this is dropped, so that an emit that is tried again, or
/// that the store refuses, costs nothing.
#[derive(Debug)]
pub(crate) struct OwnRuns {
    rates: Arc<Rates>,
    owner: OwnerId,
    in_a_minute: u32,
    taken: u32,
    /// Of them, those that this try has used.
    used: u32,
}

impl OwnRuns {
    pub(in crate::judge) fn new(rates: Arc<Rates>, owner: OwnerId, in_a_minute: u32) -> Self {
        Self {
            rates,
            owner,
            in_a_minute,
            taken: 0,
            used: 0,
        }
    }

    /// Begins a try: what earlier tries took can be used again.
    pub(crate) fn restart(&mut self) {
        self.used = 0;
    }

    /// Whether one more task of this owner may run. Those of others always may.
    pub(crate) fn admit(&mut self, owner: OwnerId) -> bool {
        if owner != self.owner {
            return true;
        }
        if self.used == self.taken {
            if self.rates.take(owner, 1, self.in_a_minute).is_err() {
                return false;
            }
            self.taken += 1;
        }
        self.used += 1;
        true
    }

    /// The user who caused it.
    pub(crate) fn owner(&self) -> OwnerId {
        self.owner
    }

    /// This number of tasks ran, and counts.
    pub(crate) fn keep(&mut self, ran: usize) {
        let ran = u32::try_from(ran).unwrap_or(u32::MAX);
        self.give_back(self.taken.saturating_sub(ran));
        self.taken = 0;
    }

    fn give_back(&self, count: u32) {
        if count > 0 {
            self.rates.give_back(self.owner, count, self.in_a_minute);
        }
    }
}

impl Drop for OwnRuns {
    fn drop(&mut self) {
        self.give_back(self.taken);
    }
}
