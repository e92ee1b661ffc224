//! The table of API keys and its indexes.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::fmt;
use std::ops::Bound;
use std::sync::atomic::{AtomicI64, Ordering};

use apikey_core::{Expiration, KeyId, LookupId};
use chrono::{DateTime, NaiveDate, Utc};
use gatepost_ids::OwnerId;

use super::rows::{Counter, Groups};
use crate::keys::{ChangedKeys, KeyChanges, KeyGeneration, KeyRow, KeySlice, KeyUse};
use crate::owners::PassedOver;

/// How many changes of a slice are remembered. Whoever asks for older ones has to forget all its
/// keys.
const CHANGES_KEPT: usize = 64;

/// The generation of each slice.
pub(super) struct Generations([AtomicI64; KeySlice::COUNT]);

impl Default for Generations {
    fn default() -> Self {
        Self([const { AtomicI64::new(0) }; KeySlice::COUNT])
    }
}

impl fmt::Debug for Generations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Generations").finish_non_exhaustive()
    }
}

impl Generations {
    pub(super) fn get(&self, slice: KeySlice) -> KeyGeneration {
        let generation = self.0.get(usize::from(slice.0));
        KeyGeneration(generation.map_or(0, |number| number.load(Ordering::Acquire)))
    }

    fn set(&self, slice: KeySlice, generation: KeyGeneration) {
        if let Some(number) = self.0.get(usize::from(slice.0)) {
            number.store(generation.0, Ordering::Release);
        }
    }
}

/// What was changed in a slice.
#[derive(Debug, Default)]
struct Changes {
    kept: VecDeque<(KeyGeneration, LookupId)>,
    /// The last change that is not kept any more.
    forgotten: i64,
}

#[derive(Debug, Default)]
pub(super) struct KeyTable {
    ids: Counter,
    pub(super) rows: BTreeMap<KeyId, KeyRow>,
    pub(super) by_lookup: HashMap<LookupId, KeyId>,
    by_name: HashMap<(OwnerId, String), KeyId>,
    pub(super) by_owner: Groups<OwnerId, KeyId>,
    by_expiry: BTreeSet<(DateTime<Utc>, KeyId)>,
    uses: BTreeMap<(KeyId, NaiveDate), KeyUse>,
    changes: HashMap<KeySlice, Changes>,
    generations: Counter,
}

impl KeyTable {
    pub(super) fn next_id(&mut self) -> KeyId {
        KeyId(self.ids.next())
    }

    pub(super) fn name_taken(&self, row: &KeyRow) -> bool {
        let taken = self.by_name.get(&name_of(row));
        taken.is_some_and(|id| *id != row.id)
    }

    pub(super) fn put(&mut self, row: KeyRow) {
        self.take(row.id);
        self.by_lookup.insert(row.key.lookup, row.id);
        self.by_name.insert(name_of(&row), row.id);
        self.by_owner.add(row.key.owner, row.id);
        self.by_expiry.extend(expiry_of(&row));
        self.rows.insert(row.id, row);
    }

    pub(super) fn take(&mut self, id: KeyId) -> Option<KeyRow> {
        let row = self.rows.remove(&id)?;
        self.by_lookup.remove(&row.key.lookup);
        self.by_name.remove(&name_of(&row));
        self.by_owner.remove(row.key.owner, id);
        if let Some(expiry) = expiry_of(&row) {
            self.by_expiry.remove(&expiry);
        }
        Some(row)
    }

    /// Those that expire after `after` and before `before`, in that order.
    pub(super) fn expiring(
        &self,
        after: (DateTime<Utc>, KeyId),
        before: DateTime<Utc>,
    ) -> impl Iterator<Item = &KeyRow> {
        let beyond = (Bound::Excluded(after), Bound::Unbounded);
        let found = self.by_expiry.range(beyond);
        let found = found.take_while(move |(at, _)| *at < before);
        found.filter_map(|(_, id)| self.rows.get(id))
    }

    /// Takes a key for good, with what is counted of it.
    pub(super) fn remove(&mut self, id: KeyId) -> Option<KeyRow> {
        let row = self.take(id)?;
        self.forget_uses(id, NaiveDate::MAX);
        Some(row)
    }

    /// Adds uses of a day, and drops the days that are too old by then.
    pub(super) fn used(&mut self, added: &KeyUse) {
        if !self.rows.contains_key(&added.key) {
            return;
        }
        let none = KeyUse {
            used: 0,
            refused: 0,
            ..*added
        };
        let day = self.uses.entry((added.key, added.day)).or_insert(none);
        day.used = day.used.saturating_add(added.used);
        day.refused = day.refused.saturating_add(added.refused);
        self.forget_uses(added.key, KeyUse::kept_after(added.day));
    }

    /// The newest first.
    pub(super) fn uses(
        &self,
        key: KeyId,
        from: NaiveDate,
        before: NaiveDate,
    ) -> impl Iterator<Item = &KeyUse> {
        // A range may not run backwards.
        let days = self.uses.range((key, from)..(key, before.max(from)));
        days.rev().map(|(_, day)| day)
    }

    fn forget_uses(&mut self, key: KeyId, until: NaiveDate) {
        let days = self.uses.range((key, NaiveDate::MIN)..=(key, until));
        let days: Vec<_> = days.map(|(day, _)| *day).collect();
        for day in days {
            self.uses.remove(&day);
        }
    }

    pub(super) fn remove_of(&mut self, owner: OwnerId, generations: &Generations) {
        let keys: Vec<KeyId> = self.by_owner.of(owner).collect();
        for id in keys {
            if let Some(row) = self.remove(id) {
                self.changed(row.key.lookup, generations);
            }
        }
    }

    /// A key was edited or deleted.
    pub(super) fn changed(&mut self, lookup: LookupId, generations: &Generations) {
        let slice = KeySlice::of(lookup);
        let generation = KeyGeneration(self.generations.next());
        let changes = self.changes.entry(slice).or_default();
        changes.kept.push_back((generation, lookup));
        if changes.kept.len() > CHANGES_KEPT
            && let Some((oldest, _)) = changes.kept.pop_front()
        {
            changes.forgotten = oldest.0;
        }
        generations.set(slice, generation);
    }

    /// After a backup was put back: numbers and generations go on beyond those given since, and
    /// what was changed before is forgotten.
    pub(super) fn restored(&mut self, generations: &Generations, now: DateTime<Utc>) {
        let numbers = PassedOver::of_records(now);
        self.ids.pass_over(numbers);
        self.generations.pass_over(numbers);
        for row in self.rows.values_mut() {
            row.revision.0 = numbers.beyond(row.revision.0);
        }
        let generation = KeyGeneration(self.generations.next());
        for slice in (0..=u8::MAX).map(KeySlice) {
            let changes = self.changes.entry(slice).or_default();
            changes.kept.clear();
            changes.forgotten = generation.0;
            generations.set(slice, generation);
        }
    }

    pub(super) fn changes(&self, slice: KeySlice, since: KeyGeneration) -> KeyChanges {
        let generation = KeyGeneration(self.generations.last());
        let changes = self.changes.get(&slice);
        let forgotten = changes.map_or(0, |changes| changes.forgotten);
        let changed = if (forgotten..=generation.0).contains(&since.0) {
            let kept = changes.map(|changes| &changes.kept).into_iter().flatten();
            let after = kept.filter(|(generation, _)| *generation > since);
            ChangedKeys::These(after.map(|(_, lookup)| *lookup).collect())
        } else {
            ChangedKeys::All
        };
        KeyChanges {
            generation,
            changed,
        }
    }
}

fn expiry_of(row: &KeyRow) -> Option<(DateTime<Utc>, KeyId)> {
    match row.key.expiration {
        Expiration::At(at) => Some((at, row.id)),
        Expiration::Never => None,
    }
}

fn name_of(row: &KeyRow) -> (OwnerId, String) {
    (row.key.owner, row.key.name.as_str().to_owned())
}
