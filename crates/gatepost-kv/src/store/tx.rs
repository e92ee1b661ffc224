//! A change of the store, and the notifications after its commit.

use bytes::Bytes;
use gatepost_storage::keys::{KeyGeneration, KeyShard};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::blocks::Blocks;
use super::error::{Outcome, damaged};
use crate::contract::{Change, Step, View};
use crate::error::KvError;
use crate::key_range::{Go, KeyRange};
use crate::table::Table;

/// The initial capacity for the bytes of a row, so that most need only one allocation.
const ROW: usize = 128;

/// The part of a change that belongs to one command.
pub(super) struct Tx<'a> {
    change: &'a mut dyn Change,
    pub(super) common: &'a mut Common,
    has_written: bool,
}

/// The state that the commands of one commit share.
#[derive(Clone, Default)]
pub(super) struct Common {
    /// The shards of keys that are moved, and their new generations.
    pub(super) moved: Vec<(KeyShard, KeyGeneration)>,
    pub(super) blocks: Blocks,
    /// Whether other processes write to the store, too.
    pub(super) others_write: bool,
    /// The number of bytes by which the log grows.
    pub(super) log_bytes: i64,
}

impl Common {
    pub(super) fn of(blocks: &Blocks, others_write: bool) -> Self {
        Self {
            blocks: blocks.clone(),
            others_write,
            ..Self::default()
        }
    }
}

impl<'a> Tx<'a> {
    pub(super) fn new(change: &'a mut dyn Change, common: &'a mut Common) -> Self {
        Self {
            change,
            common,
            has_written: false,
        }
    }

    /// Returns whether the command has written something: if it is refused after that, it must not
    /// be kept.
    pub(super) fn has_written(&self) -> bool {
        self.has_written
    }

    pub(super) fn put(&mut self, table: Table, key: &[u8], value: &[u8]) -> Outcome<()> {
        self.has_written = true;
        Ok(self.change.put(table, key, value)?)
    }

    /// Stores a row in its stored form: fields by their position. A later version may append some.
    pub(super) fn put_row(
        &mut self,
        table: Table,
        key: &[u8],
        row: &impl Serialize,
    ) -> Outcome<()> {
        let mut value = Vec::with_capacity(ROW);
        rmp_serde::encode::write(&mut value, row).map_err(|_| damaged(table.name))?;
        self.put(table, key, &value)
    }

    pub(super) fn delete(&mut self, table: Table, key: &[u8]) -> Outcome<()> {
        self.has_written = true;
        Ok(self.change.delete(table, key)?)
    }

    /// Records that cached keys of this shard are out of date after the commit.
    pub(super) fn moved(&mut self, shard: KeyShard, generation: KeyGeneration) {
        self.common.moved.push((shard, generation));
    }

    /// Returns a view whose scans do not conflict with other consumers of the same queue.
    pub(super) fn peeking(&self) -> Peeking<'_> {
        Peeking(self.change)
    }
}

pub(super) struct Peeking<'a>(&'a dyn Change);

impl View for Peeking<'_> {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Bytes>, KvError> {
        self.0.get(table, key)
    }

    fn scan(&self, table: Table, range: &KeyRange, step: &mut Step<'_>) -> Result<(), KvError> {
        self.0.peek(table, range, step)
    }
}

impl View for Tx<'_> {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Bytes>, KvError> {
        self.change.get(table, key)
    }

    fn scan(&self, table: Table, range: &KeyRange, step: &mut Step<'_>) -> Result<(), KvError> {
        self.change.scan(table, range, step)
    }
}

/// Returns the row of a key, read from its stored form.
pub(super) fn row<T: DeserializeOwned>(
    view: &dyn View,
    table: Table,
    key: &[u8],
) -> Outcome<Option<T>> {
    let value = view.get(table, key)?;
    value.map(|value| read(table, &value)).transpose()
}

/// Returns a row, read from its stored form.
pub(super) fn read<T: DeserializeOwned>(table: Table, value: &[u8]) -> Outcome<T> {
    rmp_serde::from_slice(value).map_err(|_| damaged(table.name))
}

/// Calls `step` with the rows of a range until it needs no further one, or fails.
pub(super) fn each(
    view: &dyn View,
    table: Table,
    range: &KeyRange,
    mut step: impl FnMut(&[u8], &[u8]) -> Outcome<Go>,
) -> Outcome<()> {
    let mut failed = None;
    view.scan(table, range, &mut |key, value| {
        step(key, value).unwrap_or_else(|stop| {
            failed = Some(stop);
            Go::Stop
        })
    })?;
    failed.map_or(Ok(()), Err)
}

/// Returns what is read from at most this many rows of a range, in its order.
pub(super) fn rows_in<T>(
    view: &dyn View,
    table: Table,
    range: &KeyRange,
    at_most: usize,
    mut read: impl FnMut(&[u8], &[u8]) -> Outcome<T>,
) -> Outcome<Vec<T>> {
    let mut rows = Vec::new();
    if at_most > 0 {
        each(view, table, range, |key, value| {
            rows.push(read(key, value)?);
            let is_full = rows.len() >= at_most;
            Ok(if is_full { Go::Stop } else { Go::On })
        })?;
    }
    Ok(rows)
}

/// Returns at most this many keys of a range, in its order.
pub(super) fn keys_in(
    view: &dyn View,
    table: Table,
    range: &KeyRange,
    at_most: usize,
) -> Outcome<Vec<Vec<u8>>> {
    rows_in(view, table, range, at_most, |key, _| Ok(key.to_vec()))
}
