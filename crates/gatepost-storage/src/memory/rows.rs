//! What every table in memory needs: times, row numbers, pages.

use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Unbounded};

use chrono::{DateTime, SubsecRound, Utc};

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
}

/// One page out of rows that come in order of their number.
pub(super) fn page<I: Copy + Ord, R: Clone>(
    rows: &BTreeMap<I, R>,
    page: &Page<I>,
    keep: impl Fn(&R) -> bool,
) -> Vec<R> {
    let limit = page.limit as usize;
    let after = page.after.map_or(Unbounded, Excluded);
    match page.order {
        Order::Ascending => rows
            .range((after, Unbounded))
            .map(|(_, r)| r)
            .filter(|r| keep(r))
            .take(limit)
            .cloned()
            .collect(),
        Order::Descending => rows
            .range((Unbounded, after))
            .rev()
            .map(|(_, r)| r)
            .filter(|r| keep(r))
            .take(limit)
            .cloned()
            .collect(),
    }
}
