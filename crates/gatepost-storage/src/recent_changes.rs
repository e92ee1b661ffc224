//! Recently changed keys, for a backend that follows its database: a cache lookup need not wait for
//! a read.

use std::collections::VecDeque;

use apikey_core::LookupId;

use crate::keys::{ChangedKeys, KeyChanges, KeyGeneration, KeyShard};

/// All changes between two generations, in all shards. For earlier changes the database must be
/// read.
#[derive(Clone, Debug)]
pub struct RecentChanges {
    after: i64,
    up_to: i64,
    changes: VecDeque<(i64, LookupId)>,
}

impl RecentChanges {
    /// The maximum number of remembered changes; the oldest are forgotten first.
    pub const KEPT: usize = 1_024;

    /// Creates an empty record, which covers no generations.
    #[must_use]
    pub fn new() -> Self {
        Self {
            after: i64::MAX,
            up_to: i64::MIN,
            changes: VecDeque::new(),
        }
    }

    /// Adds the changes that were read for the generations after `since` and up to `up_to`, in
    /// order. If they do not continue the known changes, or do not have one key for each
    /// generation, everything before `up_to` is forgotten.
    pub fn add(
        &mut self,
        since: KeyGeneration,
        up_to: KeyGeneration,
        changes: &[(KeyGeneration, LookupId)],
    ) {
        let passed = up_to.0.checked_sub(since.0);
        let passed = passed.and_then(|passed| usize::try_from(passed).ok());
        if self.up_to != since.0 || passed != Some(changes.len()) {
            self.after = up_to.0;
            self.changes.clear();
        } else {
            self.changes
                .extend(changes.iter().map(|(at, key)| (at.0, *key)));
            let forgotten = self.changes.len().saturating_sub(Self::KEPT);
            let last = self.changes.drain(..forgotten).next_back();
            self.after = last.map_or(self.after, |(at, _)| at);
        }
        self.up_to = up_to.0;
    }

    /// Returns the changes in a shard after `since`; `None` if they are not all known.
    #[must_use]
    pub fn since(&self, shard: KeyShard, since: KeyGeneration) -> Option<KeyChanges> {
        if !(self.after..=self.up_to).contains(&since.0) {
            return None;
        }
        let first = self.changes.partition_point(|(at, _)| *at <= since.0);
        let changed = self.changes.range(first..).map(|(_, key)| *key);
        let of_shard = changed.filter(|key| KeyShard::of(*key) == shard);
        Some(KeyChanges {
            generation: KeyGeneration(self.up_to),
            changed: ChangedKeys::These(of_shard.collect()),
        })
    }
}

impl Default for RecentChanges {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns two keys of different shards.
    fn keys() -> [(LookupId, KeyShard); 2] {
        [1, 2].map(|n| {
            let lookup = LookupId::of_imported(&[n; 32]);
            (lookup, KeyShard::of(lookup))
        })
    }

    fn add(recent: &mut RecentChanges, since: i64, up_to: i64, changes: &[(i64, LookupId)]) {
        let changes = changes.iter().map(|(at, key)| (KeyGeneration(*at), *key));
        let changes: Vec<_> = changes.collect();
        recent.add(KeyGeneration(since), KeyGeneration(up_to), &changes);
    }

    fn asked(recent: &RecentChanges, shard: KeyShard, since: i64) -> Option<ChangedKeys> {
        let changes = recent.since(shard, KeyGeneration(since));
        changes.map(|changes| changes.changed)
    }

    #[test]
    fn recent_changes_are_unknown_for_incomplete_history() {
        let [(one, shard), (other, _)] = keys();
        let these = |keys: &[LookupId]| Some(ChangedKeys::These(keys.to_vec()));
        let mut recent = RecentChanges::new();
        assert_eq!(asked(&recent, shard, 0), None, "nothing was read");
        add(&mut recent, -1, 5, &[]);
        assert_eq!(asked(&recent, shard, 4), None, "before it began");
        add(&mut recent, 5, 7, &[(6, one), (7, other)]);
        assert_eq!(asked(&recent, shard, 5), these(&[one]), "of its shard");
        assert_eq!(asked(&recent, shard, 6), these(&[]));
        assert_eq!(asked(&recent, shard, 8), None, "after it ends");
        add(&mut recent, 7, 9, &[(9, one)]);
        assert_eq!(asked(&recent, shard, 7), None, "a change is missing");
        assert_eq!(asked(&recent, shard, 9), these(&[]));
        add(&mut recent, 10, 11, &[(11, one)]);
        assert_eq!(asked(&recent, shard, 9), None, "a reading is missing");
        add(&mut recent, 11, 3, &[]);
        assert_eq!(asked(&recent, shard, 11), None, "the database went back");
        assert_eq!(asked(&recent, shard, 3), these(&[]));
    }

    #[test]
    fn the_oldest_changes_are_forgotten() {
        let [(one, shard), _] = keys();
        let mut recent = RecentChanges::new();
        for at in 0..=i64::try_from(RecentChanges::KEPT).unwrap() {
            add(&mut recent, at, at + 1, &[(at + 1, one)]);
        }
        assert_eq!(asked(&recent, shard, 0), None);
        let all = ChangedKeys::These(vec![one; RecentChanges::KEPT]);
        assert_eq!(asked(&recent, shard, 1), Some(all));
    }
}
