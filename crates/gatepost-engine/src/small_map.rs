//! A map that mostly has one entry.

use std::collections::HashMap;
use std::hash::Hash;

/// A map whose first entry is stored inline, without an allocation: most occurrences are for one
/// task of one owner.
#[derive(Clone, Debug)]
pub(crate) struct Few<K, V> {
    first: Option<(K, V)>,
    /// All other entries.
    more: HashMap<K, V>,
}

impl<K, V> Default for Few<K, V> {
    fn default() -> Self {
        Self {
            first: None,
            more: HashMap::new(),
        }
    }
}

impl<K: Copy + Eq + Hash, V> Few<K, V> {
    pub(crate) fn get(&self, key: K) -> Option<&V> {
        match &self.first {
            Some((first, value)) if *first == key => Some(value),
            _ => self.more.get(&key),
        }
    }

    pub(crate) fn insert(&mut self, key: K, value: V) {
        match &mut self.first {
            Some((first, _)) if *first != key => drop(self.more.insert(key, value)),
            first => *first = Some((key, value)),
        }
    }

    /// Returns the value of a key, which is made if there is none.
    pub(crate) fn get_or(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        match &mut self.first {
            Some((first, _)) if *first != key => self.more.entry(key).or_insert_with(make),
            first => &mut first.get_or_insert_with(|| (key, make())).1,
        }
    }

    /// Iterates over the entries in no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (K, &V)> {
        let first = self.first.iter().map(|(key, value)| (*key, value));
        first.chain(self.more.iter().map(|(key, value)| (*key, value)))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.first.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_holds_what_a_map_would_hold() {
        let mut few = Few::default();
        assert!(few.is_empty() && few.get(1).is_none());
        *few.get_or(1, || 10) += 1;
        *few.get_or(1, || 20) += 1;
        assert_eq!((few.get(1), few.get(2)), (Some(&12), None));
        few.insert(2, 5);
        *few.get_or(2, || 20) += 1;
        few.insert(1, 7);
        few.insert(3, 9);
        let mut all: Vec<_> = few.iter().map(|(key, value)| (key, *value)).collect();
        all.sort_unstable();
        assert_eq!(all, [(1, 7), (2, 6), (3, 9)]);
        assert!(!few.is_empty());
    }
}
