//! A bounded cache with a time limit for each entry.

use std::collections::HashMap;
use std::hash::Hash;
use std::mem;
use std::time::Duration;

use tokio::time::Instant;

/// Values by key, each with a time limit. Holds at most `most` of them: older ones are removed when
/// it is full, and all expired ones in one step, so that no search is needed.
#[derive(Debug)]
pub(super) struct TimedCache<K, V> {
    young: HashMap<K, (V, Instant)>,
    old: HashMap<K, (V, Instant)>,
    turned: Instant,
    /// The longest time limit of an entry.
    longest: Duration,
    most: usize,
}

impl<K: Copy + Eq + Hash, V> TimedCache<K, V> {
    pub(super) fn new(longest: Duration, most: usize) -> Self {
        Self {
            young: HashMap::new(),
            old: HashMap::new(),
            turned: Instant::now(),
            longest,
            most,
        }
    }

    /// Returns the value if it has not expired.
    pub(super) fn get(&self, key: K) -> Option<&V> {
        let (value, until) = self.entry(key)?;
        (Instant::now() < *until).then_some(value)
    }

    /// Returns the value even if it expired recently.
    pub(super) fn last(&self, key: K) -> Option<&V> {
        let (value, until) = self.entry(key)?;
        (Instant::now() < *until + self.longest).then_some(value)
    }

    /// As [`last`](Self::last), mutable; its time limit stays.
    pub(super) fn last_mut(&mut self, key: K) -> Option<&mut V> {
        let entry = match self.young.get_mut(&key) {
            None => self.old.get_mut(&key),
            found => found,
        };
        entry.map(|(value, _)| value)
    }

    /// Keeps a value for a time, of at most the longest.
    pub(super) fn put(&mut self, key: K, value: V, time: Duration) {
        let now = Instant::now();
        if now - self.turned >= self.longest || self.young.len() >= self.most / 2 {
            self.old = mem::take(&mut self.young);
            self.turned = now;
        }
        self.young.insert(key, (value, now + time));
    }

    pub(super) fn forget(&mut self, key: K) {
        self.young.remove(&key);
        self.old.remove(&key);
    }

    fn entry(&self, key: K) -> Option<&(V, Instant)> {
        self.young.get(&key).or_else(|| self.old.get(&key))
    }

    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.young.len() + self.old.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONGEST: Duration = Duration::from_secs(5);

    #[tokio::test(start_paused = true)]
    async fn value_expires_after_its_time_and_last_wins() {
        let mut kept = TimedCache::new(LONGEST, 100);
        kept.put(1, 'a', LONGEST);
        kept.put(2, 'b', Duration::from_secs(1));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!((kept.get(1), kept.get(2)), (Some(&'a'), None));
        assert_eq!(kept.last(2), Some(&'b'), "expired, but kept");
        tokio::time::advance(LONGEST).await;
        assert_eq!(kept.last(2), None, "expired for too long");
        kept.put(3, 'c', LONGEST);
        kept.put(1, 'd', LONGEST);
        assert_eq!((kept.get(1), kept.get(3)), (Some(&'d'), Some(&'c')));
        kept.forget(1);
        assert_eq!(kept.last(1), None, "also where it was kept twice");
        tokio::time::advance(2 * LONGEST).await;
        kept.put(4, 'e', LONGEST);
        kept.put(5, 'f', LONGEST);
        assert_eq!(kept.get(3), None);
    }

    #[test]
    fn cache_of_many_keys_stays_bounded() {
        let mut kept = TimedCache::new(LONGEST, 1_000);
        for key in 0..100_000 {
            kept.put(key, key, LONGEST);
            assert!(kept.count() <= 1_000, "{}", kept.count());
            assert_eq!(kept.get(key), Some(&key));
        }
        assert!(kept.count() >= 500, "the newest are there");
    }
}
