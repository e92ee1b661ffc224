//! gatepost-kv on SQLite: each table is one of the database, a rowid table if its keys are numbers.
//!
//! One connection writes, and `BEGIN IMMEDIATE` keeps out other processes, so nothing ever
//! conflicts. Views read snapshots of the write-ahead log. A commit is synced before it returns.
//!
//! `cargo test -p examples-kv` runs both kits on it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use gatepost_kv::{
    Change, Go, Keys, Kv, KvError, MAX_KEY, Reading, Shared, Span, Step, Table, View, Writing,
};
use rusqlite::TransactionBehavior::{self, Deferred, Immediate};
use rusqlite::types::ToSqlOutput;
use rusqlite::types::ValueRef::{Blob, Integer};
use rusqlite::{CachedStatement, Connection, Error, ErrorCode, Transaction};

const SETTINGS: &str = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16000; PRAGMA wal_autocheckpoint = 4000";
const NUMBERS: &str = "CREATE TABLE IF NOT EXISTS kv_# (k INTEGER PRIMARY KEY, v BLOB NOT NULL)";
const BYTES: &str =
    "CREATE TABLE IF NOT EXISTS kv_# (k BLOB PRIMARY KEY, v BLOB NOT NULL) WITHOUT ROWID";
const GET: &str = "SELECT v FROM kv_# WHERE k = ?1";
const PUT: &str = "REPLACE INTO kv_# (k, v) VALUES (?1, ?2)";
const DELETE: &str = "DELETE FROM kv_# WHERE k = ?1";
const SCAN: &str = "SELECT k, v FROM kv_# WHERE k >= ?1 AND k < ?2 ORDER BY k";
const SCAN_BACK: &str = "SELECT k, v FROM kv_# WHERE k >= ?1 AND k < ?2 ORDER BY k DESC";
/// Greater than every key; SQLite orders bytes after numbers.
const BEYOND: &[u8] = &[u8::MAX; MAX_KEY + 1];
const POLL: Duration = Duration::from_millis(250);

/// An open database.
#[derive(Debug)]
pub struct SqliteKv {
    file: PathBuf,
    /// `None` after a failure, when a connection may remember what the disk does not hold.
    writer: Mutex<Option<Connection>>,
    readers: Mutex<Vec<Connection>>,
}

impl SqliteKv {
    /// Opens the file, or creates it. Other processes may have it open.
    ///
    /// # Errors
    /// The database's.
    pub fn open(file: &Path) -> Result<Self, KvError> {
        let (file, readers) = (file.to_owned(), Mutex::default());
        let writer = Mutex::new(Some(connect(&file)?));
        Ok(Self {
            file,
            writer,
            readers,
        })
    }

    fn run(
        &self,
        kept: &mut Option<Connection>,
        behavior: TransactionBehavior,
        f: impl FnOnce(&mut Rows<'_>) -> Result<(), KvError>,
    ) -> Result<(), KvError> {
        let connection = kept.take().map_or_else(|| connect(&self.file), Ok)?;
        let transaction = Transaction::new_unchecked(&connection, behavior).map_err(failed)?;
        let ended = f(&mut Rows(&transaction, RefCell::default()));
        match ended {
            Ok(()) => transaction
                .commit()
                .map_err(|e| KvError::CommitUnknown(e.into()))?,
            Err(_) => drop(transaction),
        }
        *kept = Some(connection).filter(Connection::is_autocommit);
        ended
    }
}

impl Kv for SqliteKv {
    fn prepare(&self, tables: &[Table]) -> Result<(), KvError> {
        self.run(&mut lock(&self.writer), Immediate, |rows| {
            let of = |table: &Table| {
                if table.keys == Keys::Numbers {
                    NUMBERS
                } else {
                    BYTES
                }
            };
            let create = |t: &Table| rows.with(*t, of(t), |create| create.execute([]).map(drop));
            tables.iter().try_for_each(create)
        })
    }

    fn view(&self, f: &mut Reading<'_>) -> Result<(), KvError> {
        let mut reader = lock(&self.readers).pop();
        let ended = self.run(&mut reader, Deferred, |rows| f(rows));
        lock(&self.readers).extend(reader);
        ended
    }

    fn change(&self, f: &mut Writing<'_>) -> Result<(), KvError> {
        self.run(&mut lock(&self.writer), Immediate, |rows| f(rows))
    }

    fn shared(&self) -> Shared {
        Shared::Processes { poll: POLL }
    }
}

type Used<'a> = HashMap<(&'static str, &'static str), CachedStatement<'a>>;

/// The rows in a transaction, and the statements that it has used, by table.
struct Rows<'a>(&'a Connection, RefCell<Used<'a>>);

impl Rows<'_> {
    fn with<R>(
        &self,
        table: Table,
        sql: &'static str,
        run: impl FnOnce(&mut CachedStatement<'_>) -> rusqlite::Result<R>,
    ) -> Result<R, KvError> {
        let ran = match self.1.borrow_mut().entry((table.name, sql)) {
            Entry::Occupied(used) => run(used.into_mut()),
            Entry::Vacant(place) => {
                let statement = self.0.prepare_cached(&sql.replace('#', table.name));
                statement.and_then(|statement| run(place.insert(statement)))
            }
        };
        ran.map_err(failed)
    }
}

impl View for Rows<'_> {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Bytes>, KvError> {
        self.with(table, GET, |get| {
            let mut rows = get.query((bound(table, key),))?;
            let value = rows.next()?.map(|row| Ok(row.get_ref(0)?.as_blob()?));
            value
                .transpose()
                .map(|value| value.map(Bytes::copy_from_slice))
        })
    }

    fn scan(&self, table: Table, span: &Span, step: &mut Step<'_>) -> Result<(), KvError> {
        self.with(table, if span.back { SCAN_BACK } else { SCAN }, |scan| {
            let to = bound(table, span.to.as_deref().unwrap_or(BEYOND));
            let mut rows = scan.query((bound(table, &span.from), to))?;
            while let Some(row) = rows.next()? {
                let value = row.get_ref(1)?.as_blob()?;
                let go = match row.get_ref(0)? {
                    Integer(number) => step(&number.to_be_bytes(), value),
                    key => step(key.as_blob()?, value),
                };
                if go == Go::Stop {
                    break;
                }
            }
            Ok(())
        })
    }
}

impl Change for Rows<'_> {
    fn put(&mut self, table: Table, key: &[u8], value: &[u8]) -> Result<(), KvError> {
        let row = (bound(table, key), value);
        self.with(table, PUT, |put| put.execute(row).map(drop))
    }

    fn delete(&mut self, table: Table, key: &[u8]) -> Result<(), KvError> {
        let key = (bound(table, key),);
        self.with(table, DELETE, |delete| delete.execute(key).map(drop))
    }
}

/// A key, or a bound of a span.
fn bound(table: Table, key: &[u8]) -> ToSqlOutput<'_> {
    ToSqlOutput::Borrowed(match (table.keys, key.try_into()) {
        (Keys::Numbers, Ok(number)) => Integer(i64::from_be_bytes(number)),
        (Keys::Numbers, Err(_)) if key.is_empty() => Integer(0),
        _ => Blob(key),
    })
}

fn connect(file: &Path) -> Result<Connection, KvError> {
    let connection = Connection::open(file).map_err(failed)?;
    connection.execute_batch(SETTINGS).map_err(failed)?;
    connection.set_prepared_statement_cache_capacity(512);
    Ok(connection)
}

fn failed(error: Error) -> KvError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => KvError::corrupt(error),
        _ => KvError::unavailable(error),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    gatepost_kv::kit!(|folder| super::SqliteKv::open(&folder.join("kv.db")).unwrap());
}
