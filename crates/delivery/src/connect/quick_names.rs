//! Which host names were found quickly when they were last looked up.

use std::collections::{HashSet, VecDeque};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Names that are remembered; the oldest makes room.
const REMEMBERED: usize = 8_192;

/// The names that were found quickly when they were last looked up, as hashes under a key that is
/// random for each process.
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
    /// Whether the last lookup of a name was quick and found it.
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

    /// A panic under the lock could only come from a bug, and leaves a name or none.
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
