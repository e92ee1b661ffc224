//! gatepost-kv on fjall: one keyspace, in which each key has the name of its table in front.
//!
//! fjall's optimistic transactions run at the same time and are compared at the commit: that is
//! where a conflict comes from. `peek` reads from a snapshot, which is not compared. A commit is
//! written to the disk before it returns.
//!
//! `cargo test -p examples-kv` runs both kits on it.

use std::fmt;
use std::path::Path;

use bytes::Bytes;
use fjall::{
    KeyspaceCreateOptions, OptimisticTxDatabase, OptimisticTxKeyspace, OptimisticWriteTx,
    PersistMode, Readable,
};
use gatepost_kv::{Change, Go, KeyRange, Kv, KvError, Reading, Step, Table, View, Writing};

/// An open database.
pub struct FjallKv {
    database: OptimisticTxDatabase,
    rows: OptimisticTxKeyspace,
}

impl FjallKv {
    /// Opens the folder, or creates it. fjall locks it: a second process cannot open it.
    ///
    /// # Errors
    /// The database's.
    pub fn open(folder: &Path) -> Result<Self, KvError> {
        let database = OptimisticTxDatabase::builder(folder)
            .open()
            .map_err(failed)?;
        let rows = database
            .keyspace("gatepost", KeyspaceCreateOptions::default)
            .map_err(failed)?;
        Ok(Self { database, rows })
    }
}

impl Kv for FjallKv {
    fn view(&self, f: &mut Reading<'_>) -> Result<(), KvError> {
        f(&Rows {
            kv: self,
            transaction: self.database.read_tx(),
        })
    }

    fn change(&self, f: &mut Writing<'_>) -> Result<(), KvError> {
        let begun = self.database.write_tx().map_err(failed)?;
        let transaction = begun.durability(Some(PersistMode::SyncAll));
        let mut change = Rows {
            kv: self,
            transaction,
        };
        f(&mut change)?;
        let committed = change.transaction.commit().map_err(failed)?;
        committed.map_err(|_| KvError::Conflict)
    }
}

/// The rows in a snapshot or in a transaction.
struct Rows<'a, R> {
    kv: &'a FjallKv,
    transaction: R,
}

impl<R: Readable> View for Rows<'_, R> {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Bytes>, KvError> {
        let found = self
            .transaction
            .get(&self.kv.rows, table.prefixed_key(key))
            .map_err(failed)?;
        Ok(found.map(|value| Bytes::copy_from_slice(&value)))
    }

    fn scan(&self, table: Table, range: &KeyRange, step: &mut Step<'_>) -> Result<(), KvError> {
        let (from, to) = table.prefixed_bounds(range);
        let mut rows = self.transaction.range(&self.kv.rows, from..to);
        while let Some(row) = if range.back {
            rows.next_back()
        } else {
            rows.next()
        } {
            let (key, value) = row.into_inner().map_err(failed)?;
            if step(table.unprefixed(&key), &value) == Go::Stop {
                break;
            }
        }
        Ok(())
    }
}

impl Change for Rows<'_, OptimisticWriteTx> {
    fn put(&mut self, table: Table, key: &[u8], value: &[u8]) -> Result<(), KvError> {
        self.transaction
            .insert(&self.kv.rows, table.prefixed_key(key), value);
        Ok(())
    }

    fn delete(&mut self, table: Table, key: &[u8]) -> Result<(), KvError> {
        self.transaction
            .remove(&self.kv.rows, table.prefixed_key(key));
        Ok(())
    }

    fn peek(&self, table: Table, range: &KeyRange, step: &mut Step<'_>) -> Result<(), KvError> {
        Rows {
            kv: self.kv,
            transaction: self.kv.database.read_tx(),
        }
        .scan(table, range, step)
    }
}

fn failed(error: fjall::Error) -> KvError {
    match error {
        error @ (fjall::Error::Unrecoverable | fjall::Error::InvalidTrailer) => {
            KvError::corrupt(error)
        }
        error => KvError::unavailable(error),
    }
}

impl fmt::Debug for FjallKv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FjallKv").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::FjallKv;

    gatepost_kv::kit!(|folder| FjallKv::open(&folder.join("kv")).unwrap());
}
