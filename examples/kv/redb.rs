//! gatepost-kv on redb: one table, in which each key has the name of its table in front.
//!
//! redb runs one write transaction at a time and reads from snapshots, so nothing ever conflicts.
//! A commit is durable when it returns, and a transaction that is dropped is undone.
//!
//! `cargo test -p examples-kv` runs both kits on it.

use std::path::Path;

use bytes::Bytes;
use gatepost_kv::{Change, Go, KeyRange, Kv, KvError, Reading, Step, Table, View, Writing};
use redb::{Database, ReadableDatabase, ReadableTable, TableDefinition};

const ROWS: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("gatepost");

type WriteTable<'a> = redb::Table<'a, &'static [u8], &'static [u8]>;

/// An open database.
#[derive(Debug)]
pub struct RedbKv(Database);

impl RedbKv {
    /// Opens the file, or creates it. redb locks it: a second process cannot open it.
    ///
    /// # Errors
    /// The database's.
    pub fn open(file: &Path) -> Result<Self, KvError> {
        let database = Database::create(file).map_err(failed)?;
        let create = database.begin_write().map_err(failed)?;
        create.open_table(ROWS).map_err(failed)?;
        create.commit().map_err(failed)?;
        Ok(Self(database))
    }
}

impl Kv for RedbKv {
    fn view(&self, f: &mut Reading<'_>) -> Result<(), KvError> {
        let snapshot = self.0.begin_read().map_err(failed)?;
        f(&Rows(snapshot.open_table(ROWS).map_err(failed)?))
    }

    fn change(&self, f: &mut Writing<'_>) -> Result<(), KvError> {
        let transaction = self.0.begin_write().map_err(failed)?;
        f(&mut Rows(transaction.open_table(ROWS).map_err(failed)?))?;
        transaction.commit().map_err(failed)
    }
}

/// The table in a snapshot or in a write transaction.
struct Rows<T>(T);

impl<T: ReadableTable<&'static [u8], &'static [u8]>> View for Rows<T> {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Bytes>, KvError> {
        let found = self.0.get(&*table.prefixed_key(key)).map_err(failed)?;
        Ok(found.map(|value| Bytes::copy_from_slice(value.value())))
    }

    fn scan(&self, table: Table, range: &KeyRange, step: &mut Step<'_>) -> Result<(), KvError> {
        let (from, to) = table.prefixed_bounds(range);
        let mut rows = self.0.range::<&[u8]>(&*from..&*to).map_err(failed)?;
        while let Some(row) = if range.back {
            rows.next_back()
        } else {
            rows.next()
        } {
            let (key, value) = row.map_err(failed)?;
            if step(table.unprefixed(key.value()), value.value()) == Go::Stop {
                break;
            }
        }
        Ok(())
    }
}

impl Change for Rows<WriteTable<'_>> {
    fn put(&mut self, table: Table, key: &[u8], value: &[u8]) -> Result<(), KvError> {
        self.0
            .insert(&*table.prefixed_key(key), value)
            .map_err(failed)?;
        Ok(())
    }

    fn delete(&mut self, table: Table, key: &[u8]) -> Result<(), KvError> {
        self.0.remove(&*table.prefixed_key(key)).map_err(failed)?;
        Ok(())
    }
}

fn failed(error: impl Into<redb::Error>) -> KvError {
    match error.into() {
        error @ redb::Error::Corrupted(_) => KvError::corrupt(error),
        error => KvError::unavailable(error),
    }
}

#[cfg(test)]
mod tests {
    use super::RedbKv;

    gatepost_kv::kit!(|folder| RedbKv::open(&folder.join("kv.redb")).unwrap());
}
