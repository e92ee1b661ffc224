//! Lanes in turn: places first, then owners, then lanes. Whoever has many of one waits behind
//! nobody but oneself.

use std::collections::BTreeMap;
use std::ops::Bound;

use gatepost_ids::Place;
use gatepost_storage::webhooks::Lane;
use webhook_model::OwnerId;

/// Keys in turn: the next one is the first behind the one that was last.
#[derive(Debug)]
struct Ring<K, V> {
    parts: BTreeMap<K, V>,
    last: Option<K>,
}

impl<K, V> Default for Ring<K, V> {
    fn default() -> Self {
        Self {
            parts: BTreeMap::new(),
            last: None,
        }
    }
}

impl<K: Copy + Ord, V> Ring<K, V> {
    fn next(&mut self) -> Option<K> {
        let behind = self.last.map_or(Bound::Unbounded, Bound::Excluded);
        let mut rest = self.parts.range((behind, Bound::Unbounded));
        let next = rest.next().or_else(|| self.parts.first_key_value());
        self.last = next.map(|(key, _)| *key);
        self.last
    }
}

/// Lanes that wait, each once.
#[derive(Debug, Default)]
pub(super) struct Turns {
    places: Ring<Place, Ring<OwnerId, Ring<Lane, ()>>>,
    count: usize,
}

impl Turns {
    pub(super) fn is_empty(&self) -> bool {
        self.places.parts.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn insert(&mut self, place: Place, owner: OwnerId, lane: Lane) {
        let owners = self.places.parts.entry(place).or_default();
        let lanes = owners.parts.entry(owner).or_default();
        self.count += usize::from(lanes.parts.insert(lane, ()).is_none());
    }

    pub(super) fn remove(&mut self, place: Place, owner: OwnerId, lane: Lane) {
        let Some(owners) = self.places.parts.get_mut(&place) else {
            return;
        };
        if let Some(lanes) = owners.parts.get_mut(&owner) {
            self.count -= usize::from(lanes.parts.remove(&lane).is_some());
            if lanes.parts.is_empty() {
                owners.parts.remove(&owner);
            }
        }
        if owners.parts.is_empty() {
            self.places.parts.remove(&place);
        }
    }

    #[cfg(test)]
    pub(super) fn places(&self) -> Vec<Place> {
        self.places.parts.keys().copied().collect()
    }

    /// Takes the lane whose turn it is.
    pub(super) fn next(&mut self) -> Option<Lane> {
        let place = self.places.next()?;
        let owners = self.places.parts.get_mut(&place)?;
        let owner = owners.next()?;
        let lane = owners.parts.get_mut(&owner)?.next()?;
        self.remove(place, owner, lane);
        Some(lane)
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

    #[test]
    fn a_tenant_with_many_owners_and_an_owner_with_many_lanes_get_one_turn_like_others() {
        let mut turns = Turns::default();
        for n in 0..1000_u32 {
            turns.insert(
                Place::Tenant(TenantId(1)),
                OwnerId::from(n % 10),
                lane(n.into()),
            );
        }
        turns.insert(Place::Tenant(TenantId(2)), OwnerId(20), lane(2000));
        turns.insert(Place::Operators, OwnerId(30), lane(3000));
        let first: Vec<_> = (0..3).filter_map(|_| turns.next()).collect();
        assert!(first.contains(&lane(2000)) && first.contains(&lane(3000)));
        let owners: Vec<_> = (0..20)
            .filter_map(|_| turns.next())
            .map(|lane| lane.webhook.0 % 10)
            .collect();
        let expected: Vec<_> = (1..10).chain(0..10).chain([0]).collect();
        let in_turn = owners.windows(2).all(|two| two[1] == (two[0] + 1) % 10);
        assert!(in_turn, "{owners:?}, not {expected:?}");
        let left = std::iter::from_fn(|| turns.next()).count();
        assert_eq!((left, turns.is_empty()), (1002 - 23, true));
    }

    #[test]
    fn what_is_removed_gets_no_turn_and_what_came_back_waits_behind_the_others() {
        let mut turns = Turns::default();
        (1..=3).for_each(|n| turns.insert(Place::Common, OwnerId(1), lane(n)));
        turns.remove(Place::Common, OwnerId(1), lane(2));
        turns.remove(Place::Operators, OwnerId(1), lane(3));
        let mut got = Vec::new();
        for _ in 0..4 {
            let next = turns.next().unwrap();
            got.push(next);
            turns.insert(Place::Common, OwnerId(1), next);
        }
        assert_eq!(got, [lane(1), lane(3), lane(1), lane(3)]);
    }
}
