//! A map that owners share, in which the entries of one displace none of the others' fair shares.

use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;

use webhook_model::OwnerId;

/// The divisor of the whole that gives an owner's guaranteed share.
const SHARE: usize = 16;

/// A map of at most a given weight. If it is full, the owner with the largest weight loses the
/// least recently used entries, if that owner has more than a sixteenth of all. If no owner has,
/// the least recently used entries of all are removed. So one owner may use everything until others
/// need it. `S`: the sharing parties; `()` if there is only one.
#[derive(Debug)]
pub(crate) struct Shares<K, V, S = OwnerId> {
    entries: HashMap<K, Entry<V, S>>,
    /// The least recently used comes first.
    by_use: BTreeSet<(u64, K)>,
    owners: HashMap<S, Owned<K>>,
    /// The owner with the largest weight comes last.
    by_weight: BTreeSet<(usize, S)>,
    weight: usize,
    at_most: usize,
    /// The number of insertions. It is the time at which entries were used: between two insertions
    /// their order does not matter, and using one again costs no more than finding it.
    inserted: u64,
}

#[derive(Debug)]
struct Entry<V, S> {
    owner: S,
    value: V,
    weight: usize,
    used: u64,
}

/// The entries of one owner.
#[derive(Debug)]
struct Owned<K> {
    weight: usize,
    by_use: BTreeSet<(u64, K)>,
}

impl<K: Copy + Hash + Ord, V, S: Copy + Hash + Ord> Shares<K, V, S> {
    pub(crate) fn new(at_most: usize) -> Self {
        Self {
            entries: HashMap::new(),
            by_use: BTreeSet::new(),
            owners: HashMap::new(),
            by_weight: BTreeSet::new(),
            weight: 0,
            at_most,
            inserted: 0,
        }
    }

    /// Returns the value, and marks it as used.
    pub(crate) fn get(&mut self, key: K) -> Option<&mut V> {
        let entry = self.entries.get_mut(&key)?;
        let before = std::mem::replace(&mut entry.used, self.inserted);
        if before != self.inserted {
            let owned = self.owners.get_mut(&entry.owner);
            let owned = owned.map(|owned| &mut owned.by_use);
            for order in [Some(&mut self.by_use), owned].into_iter().flatten() {
                order.remove(&(before, key));
                order.insert((self.inserted, key));
            }
        }
        Some(&mut entry.value)
    }

    /// Adds or replaces a value of an owner, and evicts others for it. One that is heavier than the
    /// weight available to its owner is removed immediately.
    pub(crate) fn insert(&mut self, key: K, owner: S, value: V, weight: usize) {
        self.remove(key);
        self.inserted += 1;
        let used = self.inserted;
        let owned = self.owners.entry(owner).or_insert_with(|| Owned {
            weight: 0,
            by_use: BTreeSet::new(),
        });
        self.by_weight.remove(&(owned.weight, owner));
        owned.weight += weight;
        self.by_weight.insert((owned.weight, owner));
        owned.by_use.insert((used, key));
        self.by_use.insert((used, key));
        self.weight += weight;
        let entry = Entry {
            owner,
            value,
            weight,
            used,
        };
        self.entries.insert(key, entry);
        while self.weight > self.at_most
            && let Some(key) = self.next_to_go()
        {
            self.remove(key);
        }
    }

    /// Changes the weight of a value, which may be removed because of that.
    pub(crate) fn weigh(&mut self, key: K, weight: usize) {
        let is_known = |entry: &Entry<V, S>| entry.weight == weight;
        if !self.entries.get(&key).is_none_or(is_known)
            && let Some(entry) = self.remove(key)
        {
            self.insert(key, entry.owner, entry.value, weight);
        }
    }

    fn next_to_go(&self) -> Option<K> {
        let (weight, owner) = self.by_weight.last()?;
        let is_over = *weight > self.at_most / SHARE;
        let owned = self.owners.get(owner).filter(|_| is_over);
        let order = owned.map_or(&self.by_use, |owned| &owned.by_use);
        order.first().map(|(_, key)| *key)
    }

    pub(crate) fn forget(&mut self, key: K) {
        self.remove(key);
    }

    fn remove(&mut self, key: K) -> Option<Entry<V, S>> {
        let entry = self.entries.remove(&key)?;
        let (owner, used) = (entry.owner, entry.used);
        self.weight -= entry.weight;
        self.by_use.remove(&(used, key));
        if let Some(owned) = self.owners.get_mut(&owner) {
            self.by_weight.remove(&(owned.weight, owner));
            owned.weight -= entry.weight;
            owned.by_use.remove(&(used, key));
            if owned.by_use.is_empty() {
                self.owners.remove(&owner);
            } else {
                self.by_weight.insert((owned.weight, owner));
            }
        }
        Some(entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A map of 160, of which a share is 10.
    fn map() -> Shares<i64, &'static str> {
        Shares::new(160)
    }

    /// Inserts a number of entries of an owner, each of this weight.
    fn fill(map: &mut Shares<i64, &'static str>, owner: u32, number: u32, weight: usize) {
        for n in 0..number {
            let key = i64::from(10_000 * owner + n);
            map.insert(key, OwnerId::from(owner), "value", weight);
        }
    }

    /// Returns how many entries each of these owners has.
    fn held<const N: usize>(map: &Shares<i64, &'static str>, owners: [u128; N]) -> [usize; N] {
        owners.map(|owner| {
            let owned = map.owners.get(&OwnerId(owner));
            owned.map_or(0, |owned| owned.by_use.len())
        })
    }

    #[test]
    fn owner_above_share_evicts_only_its_own_entries() {
        let mut map = map();
        for owner in 1..=6 {
            fill(&mut map, owner, 10, 1);
        }
        fill(&mut map, 7, 1_000, 5);
        assert_eq!(held(&map, [1, 2, 3, 4, 5]), [10; 5]);
        assert_eq!(held(&map, [6, 7]), [10, 20]);
        assert_eq!(map.get(70_999), Some(&mut "value"), "the last that came");
        assert_eq!(map.get(70_000), None);
        fill(&mut map, 8, 1, 500);
        assert_eq!(held(&map, [1, 6, 8]), [10, 10, 0], "too heavy");
    }

    #[test]
    fn owner_has_all_entries_until_others_need_some() {
        let mut map = map();
        fill(&mut map, 1, 1_000, 1);
        assert_eq!(held(&map, [1]), [160]);
        fill(&mut map, 2, 10, 1);
        assert_eq!(held(&map, [1, 2]), [150, 10]);
        fill(&mut map, 3, 1_000, 1);
        assert_eq!(held(&map, [1, 2, 3]), [75, 10, 75]);
    }

    #[test]
    fn recently_used_entries_stay_without_owner_above_share() {
        let mut map = map();
        for owner in 0..16 {
            fill(&mut map, owner, 10, 1);
        }
        for n in 0..10 {
            assert_eq!(map.get(n), Some(&mut "value"));
        }
        fill(&mut map, 16, 10, 1);
        assert_eq!(held(&map, [0, 1, 2, 16]), [10, 0, 10, 10]);
    }

    #[test]
    fn replaced_entry_has_new_value_and_new_owner() {
        let mut map = map();
        map.insert(1, OwnerId(1), "first", 100);
        map.insert(1, OwnerId(2), "second", 50);
        assert_eq!(map.get(1), Some(&mut "second"));
        assert_eq!(held(&map, [1, 2]), [0, 1]);
        assert_eq!(map.weight, 50);
    }

    fn assert_whole(map: &Shares<i64, &'static str>) {
        let (mut by_use, mut weights) = (BTreeSet::new(), HashMap::new());
        for (key, entry) in &map.entries {
            by_use.insert((entry.used, *key));
            *weights.entry(entry.owner).or_insert(0) += entry.weight;
        }
        let of_owners = map.owners.values().flat_map(|owned| &owned.by_use);
        assert_eq!(of_owners.copied().collect::<BTreeSet<_>>(), by_use);
        assert_eq!(map.by_use, by_use);
        assert_eq!(map.weight, weights.values().sum::<usize>());
        let by_weight = weights.iter().map(|(owner, weight)| (*weight, *owner));
        assert_eq!(map.by_weight, by_weight.collect::<BTreeSet<_>>());
        assert!(map.weight <= map.at_most);
    }

    proptest::proptest! {
        #[test]
        fn counted_weights_match_the_entries(
            calls in proptest::collection::vec((0..40_i64, 0..5_u128, 0..20_usize), 0..200)
        ) {
            let mut map = Shares::new(100);
            for (key, owner, weight) in calls {
                if weight == 0 {
                    map.get(key);
                } else {
                    map.insert(key, OwnerId(owner), "value", weight);
                }
                assert_whole(&map);
            }
        }
    }
}
