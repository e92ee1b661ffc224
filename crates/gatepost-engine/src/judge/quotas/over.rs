//! Owners who are at a limit, and are to be counted.

use std::collections::{HashSet, VecDeque};

use gatepost_ids::OwnerId;

/// In order of arrival, so that each is counted, however many there are; each once.
#[derive(Debug, Default)]
pub(super) struct Over {
    line: VecDeque<OwnerId>,
    all: HashSet<OwnerId>,
}

impl Over {
    /// Puts an owner who is not in the line at its end.
    pub(super) fn push(&mut self, owner: OwnerId) {
        if self.all.insert(owner) {
            self.line.push_back(owner);
        }
    }

    /// Takes the one who has waited longest.
    pub(super) fn next(&mut self) -> Option<OwnerId> {
        let owner = self.line.pop_front()?;
        self.all.remove(&owner);
        Some(owner)
    }

    pub(super) fn len(&self) -> usize {
        self.line.len()
    }
}
