//! How many questions are under way.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gatepost_ids::Place;

/// Questions under way.
pub(super) const ALL: usize = 32;
/// Of those, about what happened in one place: where the platform hangs for one tenant, it does
/// not for the others.
const OF_ONE_PLACE: usize = 8;

/// Cheap to clone; all clones are one.
#[derive(Clone, Debug, Default)]
pub(super) struct Crowd(Arc<Mutex<Counts>>);

/// Has no more entries than there are questions under way.
#[derive(Debug, Default)]
struct Counts {
    all: usize,
    of: HashMap<Place, usize>,
}

impl Crowd {
    /// A place among those under way, if there is one.
    pub(super) fn enter(&self, place: Place) -> Option<Entered> {
        let mut counts = self.lock();
        let of_place = counts.of.get(&place).copied().unwrap_or_default();
        if counts.all >= ALL || of_place >= OF_ONE_PLACE {
            return None;
        }
        counts.all += 1;
        counts.of.insert(place, of_place + 1);
        let crowd = self.clone();
        Some(Entered { crowd, place })
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A question under way, until it is dropped.
#[derive(Debug)]
pub(super) struct Entered {
    crowd: Crowd,
    place: Place,
}

impl Drop for Entered {
    fn drop(&mut self) {
        let mut counts = self.crowd.lock();
        counts.all = counts.all.saturating_sub(1);
        match counts.of.get_mut(&self.place) {
            Some(of_place) if *of_place > 1 => *of_place -= 1,
            _ => {
                counts.of.remove(&self.place);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use gatepost_ids::TenantId;

    use super::*;

    #[test]
    fn one_place_never_has_more_than_a_quarter_and_leaves_nothing_behind() {
        let crowd = Crowd::default();
        let fill = |tenant| -> Vec<_> {
            let place = Place::Tenant(TenantId(tenant));
            (0..100_000).filter_map(|_| crowd.enter(place)).collect()
        };
        let mut under_way: Vec<_> = (0..5).map(fill).collect();
        let counts: Vec<_> = under_way.iter().map(Vec::len).collect();
        assert_eq!(counts, [8, 8, 8, 8, 0]);
        under_way.remove(0);
        assert_eq!(fill(4).len(), 8);
        under_way.clear();
        let counts = crowd.lock();
        assert_eq!((counts.all, counts.of.len()), (0, 0));
    }
}
