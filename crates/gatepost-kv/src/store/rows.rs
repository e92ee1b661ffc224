//! Tables of rows by number, with their indexes.

use std::collections::VecDeque;

use gatepost_storage::{Order, Page};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::{Outcome, damaged};
use super::key::{Key, Parts};
use super::tx::{Tx, each, row};
use crate::contract::View;
use crate::key_range::{Go, KeyRange};
use crate::table::{Table, number_key};

/// The number of index entries that one scan reads.
const AHEAD: usize = 32;
/// The number of rows that are read, or changed, in one transaction.
pub(super) const SOME: u32 = 256;

/// A table of rows, each under its number, and its indexes.
pub(super) struct Rows<R: 'static> {
    pub(super) table: Table,
    /// Indexes by values that never change.
    pub(super) fixed: &'static [Index<R>],
    pub(super) indexes: &'static [Index<R>],
}

/// The entries of a row in the indexes by values that may change.
pub(super) type Entries = Vec<Option<(Vec<u8>, Vec<u8>)>>;

/// An index: the numbers of the rows that have a key, under that key.
pub(super) struct Index<R: 'static> {
    table: Table,
    /// The function that returns the key of a row, if it has one.
    key: fn(&R) -> Option<Key>,
    /// The function that returns the part of a row that is read without the row.
    value: fn(&R) -> Vec<u8>,
}

impl<R> Index<R> {
    pub(super) const fn of(table: Table, key: fn(&R) -> Option<Key>) -> Self {
        Self::with(table, key, |_| Vec::new())
    }

    pub(super) const fn with(
        table: Table,
        key: fn(&R) -> Option<Key>,
        value: fn(&R) -> Vec<u8>,
    ) -> Self {
        Self { table, key, value }
    }

    /// Returns the entry of a row.
    fn entry(&self, number: i64, row: &R) -> Option<(Vec<u8>, Vec<u8>)> {
        let key = (self.key)(row)?.number(number);
        Some((key.into(), (self.value)(row)))
    }
}

/// The source of the numbers of a list.
pub(super) enum Source {
    /// All rows.
    All,
    /// The rows with one of these keys in this index.
    Of(Table, Vec<Key>),
}

impl<R: Serialize + DeserializeOwned> Rows<R> {
    pub(super) fn get(&self, view: &dyn View, number: i64) -> Outcome<Option<R>> {
        row(view, self.table, &key_of(number))
    }

    /// Stores a row and replaces `old`, if that exists.
    pub(super) fn put(
        &self,
        tx: &mut Tx<'_>,
        number: i64,
        new: &R,
        old: Option<&R>,
    ) -> Outcome<()> {
        if old.is_none() {
            for index in self.fixed {
                if let Some((key, value)) = index.entry(number, new) {
                    tx.put(index.table, &key, &value)?;
                }
            }
        }
        let old = old.map_or_else(
            || vec![None; self.indexes.len()],
            |old| self.entries(number, old),
        );
        self.replace(tx, number, new, old)
    }

    pub(super) fn entries(&self, number: i64, row: &R) -> Entries {
        let indexes = self.indexes.iter();
        indexes.map(|index| index.entry(number, row)).collect()
    }

    /// Stores a row and replaces one that had these entries.
    pub(super) fn replace(
        &self,
        tx: &mut Tx<'_>,
        number: i64,
        new: &R,
        old: Entries,
    ) -> Outcome<()> {
        tx.put_row(self.table, &key_of(number), new)?;
        for (index, old) in self.indexes.iter().zip(old) {
            let new = index.entry(number, new);
            if new == old {
                continue;
            }
            if let Some((key, _)) = old {
                tx.delete(index.table, &key)?;
            }
            if let Some((key, value)) = new {
                tx.put(index.table, &key, &value)?;
            }
        }
        Ok(())
    }

    pub(super) fn delete(&self, tx: &mut Tx<'_>, number: i64, old: &R) -> Outcome<()> {
        tx.delete(self.table, &key_of(number))?;
        for index in self.fixed.iter().chain(self.indexes) {
            if let Some((key, _)) = index.entry(number, old) {
                tx.delete(index.table, &key)?;
            }
        }
        Ok(())
    }

    /// Returns one page of the wanted rows.
    pub(super) fn page<I: Copy + Into<i64>>(
        &self,
        view: &dyn View,
        source: &Source,
        page: &Page<I>,
        wanted: impl Fn(&R) -> bool,
    ) -> Outcome<Vec<R>> {
        let mut found = Vec::new();
        if page.limit > 0 {
            self.each(view, source, page, |_, row| {
                found.extend(Some(row).filter(&wanted));
                Ok(found.len() < page.limit as usize)
            })?;
        }
        Ok(found)
    }

    /// Calls `step` with each row after the page's start, until it returns that it needs no further
    /// one.
    pub(super) fn each<I: Copy + Into<i64>>(
        &self,
        view: &dyn View,
        source: &Source,
        page: &Page<I>,
        mut step: impl FnMut(i64, R) -> Outcome<bool>,
    ) -> Outcome<()> {
        let mut numbers = Numbers::of(self.table, source, page);
        while let Some(number) = numbers.next(view)? {
            if let Some(row) = self.get(view, number)?
                && !step(number, row)?
            {
                break;
            }
        }
        Ok(())
    }

    /// Returns some rows behind a number, in their order; none at the end.
    pub(super) fn some(&self, view: &dyn View, after: Option<i64>) -> Outcome<Vec<(i64, R)>> {
        let page = Page {
            after,
            ..Page::first(SOME)
        };
        let mut found = Vec::new();
        self.each(view, &Source::All, &page, |number, row| {
            found.push((number, row));
            Ok(found.len() < SOME as usize)
        })?;
        Ok(found)
    }

    /// Returns all numbers of a source.
    pub(super) fn numbers(&self, view: &dyn View, source: &Source) -> Outcome<Vec<i64>> {
        let mut numbers = Numbers::of(self.table, source, &Page::<i64>::first(u32::MAX));
        let mut found = Vec::new();
        while let Some(number) = numbers.next(view)? {
            found.push(number);
        }
        Ok(found)
    }
}

/// Numbers from several sources, in one order.
struct Numbers {
    cursors: Vec<Cursor>,
    back: bool,
}

/// The numbers under one key of an index, or of a table; some are read ahead.
struct Cursor {
    table: Table,
    range: KeyRange,
    ahead: VecDeque<i64>,
    has_ended: bool,
}

impl Numbers {
    fn of<I: Copy + Into<i64>>(table: Table, source: &Source, page: &Page<I>) -> Self {
        let back = page.order == Order::Descending;
        let after = page.after.map(Into::into);
        let cursors = match source {
            Source::All => vec![Cursor::of_table(table, after, back)],
            Source::Of(index, keys) => {
                let of = |key: &Key| Cursor::of_key(*index, key, after, back);
                keys.iter().map(of).collect()
            }
        };
        Self { cursors, back }
    }

    fn next(&mut self, view: &dyn View) -> Outcome<Option<i64>> {
        for cursor in &mut self.cursors {
            cursor.fill(view)?;
        }
        let heads = self
            .cursors
            .iter_mut()
            .filter(|cursor| !cursor.ahead.is_empty());
        let first = if self.back {
            heads.max_by_key(|cursor| cursor.ahead.front().copied())
        } else {
            heads.min_by_key(|cursor| cursor.ahead.front().copied())
        };
        Ok(first.and_then(|cursor| cursor.ahead.pop_front()))
    }
}

impl Cursor {
    fn of_table(table: Table, after: Option<i64>, back: bool) -> Self {
        let mut range = KeyRange::all();
        match after {
            Some(after) if back => range.to = Some(key_of(after).to_vec()),
            Some(after) => range.from = key_of(after.saturating_add(1)).to_vec(),
            None => {}
        }
        Self::of_span(table, range, back)
    }

    fn of_key(table: Table, key: &Key, after: Option<i64>, back: bool) -> Self {
        let mut range = KeyRange::prefix(key.bytes());
        match after.map(|after| Vec::from(key.clone().number(after))) {
            Some(after) if back => range.to = Some(after),
            Some(after) => range = range.after(&after),
            None => {}
        }
        Self::of_span(table, range, back)
    }

    fn of_span(table: Table, range: KeyRange, back: bool) -> Self {
        Self {
            table,
            range: if back { range.backward() } else { range },
            ahead: VecDeque::new(),
            has_ended: false,
        }
    }

    fn fill(&mut self, view: &dyn View) -> Outcome<()> {
        if self.has_ended || !self.ahead.is_empty() {
            return Ok(());
        }
        let (ahead, mut last) = (&mut self.ahead, None);
        each(view, self.table, &self.range, |key, _| {
            ahead.push_back(number_in(self.table, key)?);
            last = Some(key.to_vec());
            Ok(if ahead.len() < AHEAD {
                Go::On
            } else {
                Go::Stop
            })
        })?;
        match last.filter(|_| self.ahead.len() == AHEAD) {
            Some(last) if self.table.keys == crate::Keys::Numbers && !self.range.back => {
                let next = number_in(self.table, &last)?.saturating_add(1);
                self.range.from = key_of(next).to_vec();
            }
            Some(last) => self.range = std::mem::take(&mut self.range).after(&last),
            None => self.has_ended = true,
        }
        Ok(())
    }
}

/// Returns the key of a number, which is not below 0.
pub(super) fn key_of(number: i64) -> [u8; 8] {
    number_key(number.max(0).unsigned_abs())
}

/// Returns the number at the end of a key.
fn number_in(table: Table, key: &[u8]) -> Outcome<i64> {
    let number = key.last_chunk::<8>().ok_or_else(|| damaged(table.name))?;
    match table.keys {
        crate::Keys::Numbers => Ok(i64::from_be_bytes(*number)),
        crate::Keys::Bytes => Parts::of(number).number(),
    }
}
