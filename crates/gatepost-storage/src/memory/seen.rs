//! Occurrences that were stored, each of which is stored once.

use std::collections::{BTreeMap, HashSet};

use chrono::{DateTime, Utc};
use gatepost_ids::Place;
use webhook_model::OccurrenceId;

use super::rows::micros;

type Occurrence = (Place, OccurrenceId);

#[derive(Debug, Default)]
pub(super) struct Seen {
    known: HashSet<Occurrence>,
    /// The same, by the time at which they were stored.
    by_age: BTreeMap<DateTime<Utc>, Vec<Occurrence>>,
}

impl Seen {
    pub(super) fn contains(&self, place: Place, id: &OccurrenceId) -> bool {
        self.known.contains(&(place, id.clone()))
    }

    pub(super) fn add(&mut self, place: Place, id: OccurrenceId, now: DateTime<Utc>) {
        if self.known.insert((place, id.clone())) {
            self.by_age
                .entry(micros(now))
                .or_default()
                .push((place, id));
        }
    }

    /// Forgets what was stored before, at most `limit`. Returns how many.
    pub(super) fn forget(&mut self, before: DateTime<Utc>, limit: usize) -> usize {
        let mut forgotten = 0;
        while forgotten < limit
            && let Some(mut oldest) = self.by_age.first_entry()
            && *oldest.key() < before
        {
            match oldest.get_mut().pop() {
                Some(occurrence) => {
                    self.known.remove(&occurrence);
                    forgotten += 1;
                }
                None => {
                    oldest.remove();
                }
            }
        }
        forgotten
    }
}
