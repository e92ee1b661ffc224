//! The adapter in memory.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::sync::{Arc, PoisonError, RwLock};

use bytes::Bytes;

use crate::contract::{Change, Kv, Reading, Step, View, Writing};
use crate::error::KvError;
use crate::key_range::{Go, KeyRange};
use crate::table::{Keys, MAX_CHANGE, MAX_KEY, MAX_VALUE, Table};

const NUMBER: usize = 8;

type Rows = BTreeMap<Arc<[u8]>, Bytes>;
type Tables = HashMap<&'static str, Rows>;
/// A table, a key, and the value that it had.
type Undo = (&'static str, Arc<[u8]>, Option<Bytes>);

/// An ordered store in memory, which keeps nothing. It is also the strict one: it refuses whatever
/// breaks a rule of the caller about keys, bounds and sizes ([`KvError::Invalid`]), so that tests
/// on it find that.
///
/// Views share a lock, and a change holds it exclusively. A snapshot therefore costs nothing, and a
/// value is read without a copy; in return a view blocks changes for as long as it runs, which the
/// contract keeps short. (A persistent map would let both run at a time, and make each write a copy
/// of its path.) A change is made in place, and undone if its callback returns an error.
#[derive(Debug, Default)]
pub struct MemoryKv(RwLock<Tables>);

impl MemoryKv {
    /// Creates a store with these tables.
    pub(crate) fn of(tables: &[Table]) -> Self {
        let tables = tables.iter().map(|table| (table.name, Rows::new()));
        Self(RwLock::new(tables.collect()))
    }
}

impl Kv for MemoryKv {
    fn prepare(&self, tables: &[Table]) -> Result<(), KvError> {
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        for table in tables {
            all.entry(table.name).or_default();
        }
        Ok(())
    }

    fn view(&self, f: &mut Reading<'_>) -> Result<(), KvError> {
        f(&MemoryView(
            &self.0.read().unwrap_or_else(PoisonError::into_inner),
        ))
    }

    fn change(&self, f: &mut Writing<'_>) -> Result<(), KvError> {
        let mut tables = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let mut change = MemoryChange {
            tables: &mut tables,
            undo: Vec::new(),
            written: 0,
        };
        f(&mut change)?;
        change.undo.clear();
        Ok(())
    }

    fn waits(&self) -> bool {
        false
    }
}

struct MemoryView<'a>(&'a Tables);

/// A change in place. When it is dropped, it reverts the writes in `undo`, the last first.
struct MemoryChange<'a> {
    tables: &'a mut Tables,
    undo: Vec<Undo>,
    written: usize,
}

impl View for MemoryView<'_> {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Bytes>, KvError> {
        get(self.0, table, key)
    }

    fn scan(&self, table: Table, range: &KeyRange, step: &mut Step<'_>) -> Result<(), KvError> {
        scan(self.0, table, range, step)
    }
}

impl View for MemoryChange<'_> {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Bytes>, KvError> {
        get(self.tables, table, key)
    }

    fn scan(&self, table: Table, range: &KeyRange, step: &mut Step<'_>) -> Result<(), KvError> {
        scan(self.tables, table, range, step)
    }
}

impl Change for MemoryChange<'_> {
    fn put(&mut self, table: Table, key: &[u8], value: &[u8]) -> Result<(), KvError> {
        check_key(table, key)?;
        if value.len() > MAX_VALUE {
            return Err(invalid(table, "a value has at most 8 MiB"));
        }
        self.written += key.len() + value.len();
        if self.written > MAX_CHANGE {
            return Err(invalid(table, "a change writes at most 16 MiB"));
        }
        let rows = self
            .tables
            .get_mut(table.name)
            .ok_or_else(|| unprepared(table))?;
        let key = Arc::<[u8]>::from(key);
        let before = rows.insert(key.clone(), Bytes::copy_from_slice(value));
        self.undo.push((table.name, key, before));
        Ok(())
    }

    fn delete(&mut self, table: Table, key: &[u8]) -> Result<(), KvError> {
        check_key(table, key)?;
        let rows = self
            .tables
            .get_mut(table.name)
            .ok_or_else(|| unprepared(table))?;
        if let Some((key, before)) = rows.remove_entry(key) {
            self.undo.push((table.name, key, Some(before)));
        }
        Ok(())
    }
}

impl Drop for MemoryChange<'_> {
    fn drop(&mut self) {
        for (table, key, before) in self.undo.drain(..).rev() {
            let rows = self.tables.entry(table).or_default();
            match before {
                Some(value) => rows.insert(key, value),
                None => rows.remove(&key),
            };
        }
    }
}

fn get(tables: &Tables, table: Table, key: &[u8]) -> Result<Option<Bytes>, KvError> {
    check_key(table, key)?;
    let rows = tables.get(table.name).ok_or_else(|| unprepared(table))?;
    Ok(rows.get(key).cloned())
}

fn scan(
    tables: &Tables,
    table: Table,
    range: &KeyRange,
    step: &mut Step<'_>,
) -> Result<(), KvError> {
    check_bound(table, &range.from)?;
    check_bound(table, range.to.as_deref().unwrap_or_default())?;
    let rows = tables.get(table.name).ok_or_else(|| unprepared(table))?;
    if range.is_empty() {
        return Ok(());
    }
    let to = range
        .to
        .as_deref()
        .map_or(Bound::Unbounded, Bound::Excluded);
    let rows = rows.range::<[u8], _>((Bound::Included(&*range.from), to));
    let mut on = |(key, value): (&Arc<[u8]>, &Bytes)| step(key, value) == Go::On;
    if range.back {
        rows.rev().all(&mut on);
    } else {
        rows.into_iter().all(&mut on);
    }
    Ok(())
}

fn check_key(table: Table, key: &[u8]) -> Result<(), KvError> {
    match table.keys {
        Keys::Bytes if key.is_empty() => Err(invalid(table, "a key has at least one byte")),
        Keys::Bytes if key.len() > MAX_KEY => Err(invalid(table, "a key has at most 480 bytes")),
        Keys::Numbers if key.len() != NUMBER || key[0] > 0x7f => {
            Err(invalid(table, "a number is below 2⁶³ and has eight bytes"))
        }
        Keys::Bytes | Keys::Numbers => Ok(()),
    }
}

fn check_bound(table: Table, bound: &[u8]) -> Result<(), KvError> {
    match table.keys {
        Keys::Bytes if bound.len() > MAX_KEY + 1 => {
            Err(invalid(table, "a bound has at most 481 bytes"))
        }
        Keys::Numbers if !bound.is_empty() => check_key(table, bound),
        Keys::Bytes | Keys::Numbers => Ok(()),
    }
}

fn invalid(table: Table, rule: &'static str) -> KvError {
    KvError::Invalid {
        table: table.name,
        rule,
    }
}

fn unprepared(table: Table) -> KvError {
    invalid(table, "a table is prepared before its use")
}
