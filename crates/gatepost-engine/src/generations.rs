//! A map that forgets what was not used for the longest time.

use std::collections::HashMap;
use std::hash::Hash;

/// A map of at most a given weight. What is used is young; when the young are half of that weight
/// they become the old, and what was old and not used since is forgotten. So each call costs the
/// same, however much is held.
#[derive(Debug)]
pub(crate) struct Generations<K, V> {
    young: HashMap<K, (V, usize)>,
    old: HashMap<K, (V, usize)>,
    /// Of the young.
    weight: usize,
    at_most: usize,
}

impl<K: Clone + Eq + Hash, V> Generations<K, V> {
    pub(crate) fn new(at_most: usize) -> Self {
        Self {
            young: HashMap::new(),
            old: HashMap::new(),
            weight: 0,
            at_most,
        }
    }

    /// The value, which is young from now on.
    pub(crate) fn get(&mut self, key: &K) -> Option<&mut V> {
        if let Some((key, (value, weight))) = self.old.remove_entry(key) {
            self.insert(key, value, weight);
        }
        self.young.get_mut(key).map(|(value, _)| value)
    }

    /// As [`get`](Self::get); a value that is not there is made, of weight 1.
    pub(crate) fn get_or_insert(&mut self, key: &K, make: impl FnOnce() -> V) -> &mut V {
        if self.young.contains_key(key) {
            return &mut self
                .young
                .entry(key.clone())
                .or_insert_with(|| (make(), 1))
                .0;
        }
        let found = self.old.remove(key).unwrap_or_else(|| (make(), 1));
        self.make_room(found.1);
        &mut self.young.entry(key.clone()).or_insert(found).0
    }

    /// Adds a value, or replaces it. One that is heavier than half of all is forgotten at once.
    pub(crate) fn insert(&mut self, key: K, value: V, weight: usize) {
        self.remove(&key);
        if weight <= self.at_most / 2 {
            self.make_room(weight);
            self.young.insert(key, (value, weight));
        }
    }

    pub(crate) fn remove(&mut self, key: &K) {
        self.old.remove(key);
        if let Some((_, weight)) = self.young.remove(key) {
            self.weight -= weight;
        }
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.young.len() + self.old.len()
    }

    fn make_room(&mut self, weight: usize) {
        if self.weight + weight > self.at_most / 2 {
            self.old = std::mem::take(&mut self.young);
            self.weight = 0;
        }
        self.weight += weight;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_stays_and_what_is_not_makes_room() {
        let mut map = Generations::new(20);
        map.insert(0, "used", 1);
        for n in 1..1000 {
            map.insert(n, "once", 1);
            assert_eq!(map.get(&0), Some(&mut "used"), "{n}");
            assert!(map.young.len() + map.old.len() <= 20);
        }
        assert_eq!(map.get(&1), None);
        assert_eq!(map.get(&999), Some(&mut "once"));
    }

    #[test]
    fn what_is_replaced_or_removed_does_not_come_back_and_weighs_nothing() {
        let mut map = Generations::new(20);
        map.insert(1, "first", 4);
        (2..9).for_each(|n| map.insert(n, "other", 1));
        map.insert(1, "second", 6);
        assert_eq!(map.get(&1), Some(&mut "second"));
        map.remove(&1);
        assert_eq!(map.get(&1), None);
        assert_eq!(*map.get_or_insert(&1, || "third"), "third");
        map.insert(7, "too heavy", 11);
        assert_eq!(map.get(&7), None, "nothing makes room for all");
        let young: usize = map.young.values().map(|(_, weight)| weight).sum();
        assert_eq!(map.weight, young);
    }
}
