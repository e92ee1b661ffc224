//! What every table in memory needs: times, row numbers, groups of rows, pages.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound::{self, Excluded, Unbounded};

use chrono::{DateTime, SubsecRound, Utc};

use crate::owners::PassedOver;
use crate::page::{Order, Page};

/// Times are kept to the microsecond, as every backend keeps them.
pub(super) fn micros(time: DateTime<Utc>) -> DateTime<Utc> {
    time.trunc_subsecs(6)
}

/// Row numbers of one table: from 1, none twice.
#[derive(Debug, Default)]
pub(super) struct Counter(i64);

impl Counter {
    pub(super) fn next(&mut self) -> i64 {
        self.0 += 1;
        self.0
    }

    /// Goes on beyond numbers that are never given.
    pub(super) fn pass_over(&mut self, numbers: PassedOver) {
        self.0 = numbers.beyond(self.0);
    }

    /// The number given last.
    pub(super) fn last(&self) -> i64 {
        self.0
    }
}

/// Which rows belong to which key: an index.
#[derive(Debug)]
pub(super) struct Groups<K, I>(BTreeMap<K, BTreeSet<I>>);

impl<K, I> Default for Groups<K, I> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<K: Copy + Ord, I: Copy + Ord> Groups<K, I> {
    pub(super) fn add(&mut self, key: K, row: I) {
        self.0.entry(key).or_default().insert(row);
    }

    pub(super) fn remove(&mut self, key: K, row: I) {
        if let Some(rows) = self.0.get_mut(&key) {
            rows.remove(&row);
            if rows.is_empty() {
                self.0.remove(&key);
            }
        }
    }

    /// The rows of a key, in order of their number.
    pub(super) fn of(&self, key: K) -> impl DoubleEndedIterator<Item = I> {
        self.0.get(&key).into_iter().flatten().copied()
    }

    pub(super) fn count(&self, key: K) -> u64 {
        self.0.get(&key).map_or(0, |rows| rows.len() as u64)
    }

    /// At most a page of a key's rows, but only those to keep.
    fn page(&self, key: K, page: &Page<I>, keep: impl Fn(I) -> bool) -> Vec<I> {
        let Some(rows) = self.0.get(&key) else {
            return Vec::new();
        };
        let limit = page.limit as usize;
        let ids = rows.range(beyond(page)).copied();
        match page.order {
            Order::Ascending => ids.filter(|id| keep(*id)).take(limit).collect(),
            Order::Descending => ids.rev().filter(|id| keep(*id)).take(limit).collect(),
        }
    }
}

/// One page out of all rows.
pub(super) fn page<'a, I: Copy + Ord, R>(
    rows: &'a BTreeMap<I, R>,
    page: &Page<I>,
    keep: impl Fn(&R) -> bool,
) -> Vec<&'a R> {
    let limit = page.limit as usize;
    let found = rows.range(beyond(page)).map(|(_, row)| row);
    match page.order {
        Order::Ascending => found.filter(|r| keep(r)).take(limit).collect(),
        Order::Descending => found.rev().filter(|r| keep(r)).take(limit).collect(),
    }
}

/// One page out of the rows of some keys.
pub(super) fn page_of<'a, K: Copy + Ord, I: Copy + Ord, R>(
    rows: &'a BTreeMap<I, R>,
    (groups, keys): (&Groups<K, I>, &[K]),
    page: &Page<I>,
    keep: impl Fn(&R) -> bool,
) -> Vec<&'a R> {
    let wanted = |id| rows.get(&id).is_some_and(&keep);
    let pages = keys.iter().map(|key| groups.page(*key, page, wanted));
    let mut ids: Vec<I> = pages.flatten().collect();
    ids.sort_unstable();
    if page.order == Order::Descending {
        ids.reverse();
    }
    ids.truncate(page.limit as usize);
    ids.iter().filter_map(|id| rows.get(id)).collect()
}

fn beyond<I: Copy>(page: &Page<I>) -> (Bound<I>, Bound<I>) {
    let after = page.after.map_or(Unbounded, Excluded);
    match page.order {
        Order::Ascending => (after, Unbounded),
        Order::Descending => (Unbounded, after),
    }
}
