//! Lanes that wait to be tried, in turn: a tenant gets its turn behind those that were here before
//! it, however many lanes each has and however many come after.

use std::collections::{HashMap, VecDeque};

use gatepost_ids::Place;
use gatepost_storage::webhooks::Lane;
use webhook_model::OwnerId;

use super::room::walled;
use super::turns::Turns;

#[derive(Debug, Default)]
pub(super) struct Line {
    /// Each tenant that is known here, once.
    order: VecDeque<Place>,
    /// Its lanes; none any more where all of them left.
    lanes: HashMap<Place, Turns>,
    count: usize,
}

impl Line {
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn insert(&mut self, place: Place, owner: OwnerId, lane: Lane) {
        let tenant = walled(place, owner);
        let turns = self.lanes.entry(tenant).or_insert_with(|| {
            self.order.push_back(tenant);
            Turns::default()
        });
        let before = turns.len();
        turns.insert(place, owner, lane);
        self.count += turns.len() - before;
    }

    pub(super) fn remove(&mut self, place: Place, owner: OwnerId, lane: Lane) {
        if self.is_empty() {
            return;
        }
        if let Some(turns) = self.lanes.get_mut(&walled(place, owner)) {
            let before = turns.len();
            turns.remove(place, owner, lane);
            self.count -= before - turns.len();
        }
    }

    /// Takes the lane whose turn it is. Its tenant, if it has more, is the last then.
    pub(super) fn next(&mut self) -> Option<Lane> {
        while let Some(tenant) = self.order.pop_front() {
            let turns = self.lanes.get_mut(&tenant);
            let Some(lane) = turns.and_then(Turns::next) else {
                self.lanes.remove(&tenant);
                continue;
            };
            self.count -= 1;
            self.order.push_back(tenant);
            return Some(lane);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use gatepost_ids::TenantId;
    use gatepost_storage::webhooks::LaneClass;
    use webhook_model::WebhookId;

    use super::*;

    fn lane(n: i64) -> Lane {
        Lane {
            webhook: WebhookId(n),
            class: LaneClass::First,
        }
    }

    fn tenant(n: u128) -> Place {
        Place::Tenant(TenantId(n))
    }

    #[test]
    fn who_came_first_is_first_whoever_comes_after_and_whoever_has_many() {
        let mut line = Line::default();
        (0..100).for_each(|n| line.insert(tenant(9), OwnerId(9), lane(n)));
        line.insert(tenant(1), OwnerId(1), lane(1_000));
        for n in 0..50_u32 {
            line.insert(Place::Common, n.into(), lane(2_000 + i64::from(n)));
        }
        line.insert(tenant(1), OwnerId(1), lane(1_000));
        let first = [line.next(), line.next(), line.next()];
        assert_eq!(first, [0, 1_000, 2_000].map(|n| Some(lane(n))));
        line.remove(Place::Common, OwnerId(1), lane(2_001));
        assert_eq!(line.next(), Some(lane(2_002)));
        let rest = std::iter::from_fn(|| line.next()).count();
        assert_eq!((rest, line.is_empty()), (99 + 47, true));
        assert!(line.lanes.is_empty() && line.order.is_empty());
        line.insert(tenant(1), OwnerId(1), lane(1));
        line.remove(tenant(1), OwnerId(1), lane(1));
        assert!(line.is_empty() && line.next().is_none());
    }
}
