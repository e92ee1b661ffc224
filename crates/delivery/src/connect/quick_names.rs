//! Host names whose last lookup was quick and successful.

use std::collections::{HashSet, VecDeque};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The maximum number of names; the oldest is evicted.
const REMEMBERED: usize = 8_192;

/// The names whose last lookup was quick and successful, as hashes under a random key for each
/// process.
#[derive(Debug, Default)]
pub(super) struct QuickNames {
    hasher: RandomState,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    names: HashSet<u64>,
    oldest: VecDeque<u64>,
}

impl QuickNames {
    /// Returns whether the last lookup of a name was quick and successful.
    pub(super) fn has(&self, host: &str) -> bool {
        self.known().names.contains(&self.hasher.hash_one(host))
    }

    pub(super) fn note(&self, host: &str, was_quick: bool) {
        let name = self.hasher.hash_one(host);
        let mut known = self.known();
        if !was_quick {
            if known.names.remove(&name) {
                known.oldest.retain(|other| *other != name);
            }
        } else if known.names.insert(name) {
            known.oldest.push_back(name);
            if known.oldest.len() > REMEMBERED
                && let Some(oldest) = known.oldest.pop_front()
            {
                known.names.remove(&oldest);
            }
        }
    }

    /// Only a bug could panic under the lock; it leaves a complete name or none.
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_was_slow_or_not_found_is_quick_no_more_and_the_names_are_bounded() {
        let quick = QuickNames::default();
        quick.note("a.example", true);
        quick.note("a.example", true);
        assert!(quick.has("a.example") && !quick.has("b.example"));
        quick.note("a.example", false);
        assert!(!quick.has("a.example"));
        (0..2 * REMEMBERED).for_each(|n| quick.note(&n.to_string(), true));
        let known = quick.known();
        assert_eq!(
            (known.names.len(), known.oldest.len()),
            (REMEMBERED, REMEMBERED)
        );
    }
}
