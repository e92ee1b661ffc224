//! The limit on runs of a user's own tasks by occurrences that the same user caused.

use std::sync::Arc;

use gatepost_ids::OwnerId;

use super::rates::Rates;

/// The runs that one occurrence takes from the minute's allowance of the user who caused it. Runs
/// that are not [kept](Self::keep) are given back, so that an emit that is tried again, or that the
/// store refuses, costs nothing.
#[derive(Debug)]
pub(crate) struct CausedRuns {
    rates: Arc<Rates>,
    owner: OwnerId,
    in_a_minute: u32,
    taken: u32,
}

impl CausedRuns {
    pub(in crate::access) fn new(rates: Arc<Rates>, owner: OwnerId, in_a_minute: u32) -> Self {
        Self {
            rates,
            owner,
            in_a_minute,
            taken: 0,
        }
    }

    /// Whether one more task of this owner may run; tasks of other owners always may.
    pub(crate) fn admit(&mut self, owner: OwnerId) -> bool {
        if owner != self.owner {
            return true;
        }
        let admitted = self.rates.take(owner, 1, self.in_a_minute).is_ok();
        self.taken += u32::from(admitted);
        admitted
    }

    /// The user who caused it.
    pub(crate) fn owner(&self) -> OwnerId {
        self.owner
    }

    /// Counts this number of tasks as run.
    pub(crate) fn keep(&mut self, ran: usize) {
        let ran = u32::try_from(ran).unwrap_or(u32::MAX);
        let unused = self.taken.saturating_sub(ran);
        self.rates.give_back(self.owner, unused, self.in_a_minute);
        self.taken = 0;
    }
}

impl Drop for CausedRuns {
    fn drop(&mut self) {
        self.keep(0);
    }
}
