//! gatepost-kv on MariaDB: one InnoDB table, in which each key has the name of its table in front.
//! Any number of processes may use it at the same time.
//!
//! - **Isolation:** a change locks each row that it reads, and the gaps between the rows that it
//!   scans, until it commits. `SERIALIZABLE` does the same, but has no read without locks for
//!   `peek`, and locks a row that is read for others to read too: of two changes that read a row
//!   and write it, one would always end in a deadlock.
//! - **Conflicts:** deadlocks (1213), waits of more than a second (1205), rows that are newer than
//!   the snapshot (1020, from MariaDB 11.6 on).
//! - **Durability:** `innodb_flush_log_at_trx_commit` says it; `open` refuses any value but 1.
//!
//! `cargo test -p examples-kv` runs both kits on its own server.

#[cfg(test)]
pub(crate) mod server;
#[cfg(test)]
mod two_processes;
#[cfg(test)]
mod two_stores;

use std::cell::RefCell;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use gatepost_kv::{Change, Go, KeyRange, Kv, KvError, Reading, Shared, Step, Table, View, Writing};
use mysql::prelude::Queryable;
use mysql::{Conn, Error, Opts, OptsBuilder, UrlError};

const POLL: Duration = Duration::from_millis(250);
const PAGE: usize = 64;
const CONFLICTS: [u16; 3] = [1020, 1205, 1213];
const DAMAGED: [u16; 3] = [1034, 1194, 1712];
const LONGEST_SILENCE: Duration = Duration::from_secs(30);
const SESSION: &str = "SET SESSION innodb_lock_wait_timeout = 1,
    tx_isolation = 'REPEATABLE-READ', sql_mode = 'STRICT_ALL_TABLES'";
const CREATE: &str = "CREATE TABLE IF NOT EXISTS gatepost_kv (
    k VARBINARY(511) NOT NULL PRIMARY KEY, v LONGBLOB NOT NULL) ENGINE = InnoDB";
const IS_DURABLE: &str = "SELECT @@innodb_flush_log_at_trx_commit = 1";
const VIEW: &str = "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY";
const CHANGE: &str = "START TRANSACTION";
const GET: &str = "SELECT v FROM gatepost_kv WHERE k = ?";
const SCAN: &str = "SELECT k, v FROM gatepost_kv WHERE k >= ? AND k < ? ORDER BY k";
const PUT: &str =
    "INSERT INTO gatepost_kv (k, v) VALUES (?, ?) ON DUPLICATE KEY UPDATE v = VALUES(v)";
const DELETE: &str = "DELETE FROM gatepost_kv WHERE k = ?";

/// A database, and its idle connections.
#[derive(Debug)]
pub struct MariaKv {
    opts: Opts,
    idle: Mutex<Vec<Conn>>,
}

impl MariaKv {
    /// Connects, and creates the table if it does not exist.
    ///
    /// # Errors
    /// The database's.
    pub fn open(url: &str) -> Result<Self, KvError> {
        let opts = Opts::from_url(url).map_err(|error: UrlError| failed(error.into()))?;
        let opts = OptsBuilder::from_opts(opts)
            .read_timeout(Some(LONGEST_SILENCE))
            .write_timeout(Some(LONGEST_SILENCE))
            .into();
        let kv = Self {
            opts,
            idle: Mutex::default(),
        };
        let mut conn = kv.connect()?;
        if conn.query_first(IS_DURABLE).map_err(failed)? != Some(true) {
            return Err(KvError::unavailable(
                "innodb_flush_log_at_trx_commit is not 1",
            ));
        }
        conn.query_drop(CREATE).map_err(failed)?;
        kv.keep(conn);
        Ok(kv)
    }

    fn connect(&self) -> Result<Conn, KvError> {
        let mut conn = Conn::new(self.opts.clone()).map_err(failed)?;
        conn.query_drop(SESSION).map_err(failed)?;
        Ok(conn)
    }

    /// Begins a transaction, on an idle connection if the server has not closed it.
    fn begin(&self, statement: &str, locks: bool) -> Result<Transaction, KvError> {
        let idle = self
            .idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop();
        let begun = idle.and_then(|mut conn| conn.query_drop(statement).ok().map(|()| conn));
        let conn = match begun {
            Some(conn) => conn,
            None => {
                let mut conn = self.connect()?;
                conn.query_drop(statement).map_err(failed)?;
                conn
            }
        };
        Ok(Transaction {
            conn: RefCell::new(conn),
            locks,
        })
    }

    /// Undoes a transaction. A connection on which this fails is closed, which undoes it too.
    fn undo(&self, transaction: Transaction) {
        let mut conn = transaction.conn.into_inner();
        if conn.query_drop("ROLLBACK").is_ok() {
            self.keep(conn);
        }
    }

    fn keep(&self, conn: Conn) {
        self.idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(conn);
    }
}

impl Kv for MariaKv {
    fn view(&self, f: &mut Reading<'_>) -> Result<(), KvError> {
        let transaction = self.begin(VIEW, false)?;
        let ended = f(&transaction);
        self.undo(transaction);
        ended
    }

    fn change(&self, f: &mut Writing<'_>) -> Result<(), KvError> {
        let mut transaction = self.begin(CHANGE, true)?;
        if let Err(error) = f(&mut transaction) {
            self.undo(transaction);
            return Err(error);
        }
        let mut conn = transaction.conn.into_inner();
        conn.query_drop("COMMIT").map_err(|error| match error {
            Error::MySqlError(_) => failed(error),
            error => KvError::CommitUnknown(error.into()),
        })?;
        self.keep(conn);
        Ok(())
    }

    fn shared(&self) -> Shared {
        Shared::Processes { poll: POLL }
    }
}

/// A view, or a change, which locks what it reads.
struct Transaction {
    conn: RefCell<Conn>,
    locks: bool,
}

impl Transaction {
    /// Reads a range in pages, so that only rows that the caller looks at are locked and loaded.
    fn pages(
        &self,
        table: Table,
        range: &KeyRange,
        lock: &str,
        step: &mut Step<'_>,
    ) -> Result<(), KvError> {
        let order = if range.back { " DESC" } else { "" };
        let statement = format!("{SCAN}{order} LIMIT {PAGE}{lock}");
        let mut rest = range.clone();
        loop {
            let bounds = table.prefixed_bounds(&rest);
            let page: Vec<(Vec<u8>, Vec<u8>)> = self
                .conn
                .borrow_mut()
                .exec(&statement, bounds)
                .map_err(failed)?;
            for (key, value) in &page {
                if step(table.unprefixed(key), value) == Go::Stop {
                    return Ok(());
                }
            }
            match page.last() {
                Some((key, _)) if page.len() == PAGE => rest = rest.after(table.unprefixed(key)),
                _ => return Ok(()),
            }
        }
    }

    fn execute(&self, statement: &str, params: impl Into<mysql::Params>) -> Result<(), KvError> {
        self.conn
            .borrow_mut()
            .exec_drop(statement, params)
            .map_err(failed)
    }
}

impl View for Transaction {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Bytes>, KvError> {
        let lock = if self.locks { " FOR UPDATE" } else { "" };
        let found = self
            .conn
            .borrow_mut()
            .exec_first::<Vec<u8>, _, _>(format!("{GET}{lock}"), (table.prefixed_key(key),));
        Ok(found.map_err(failed)?.map(Bytes::from))
    }

    fn scan(&self, table: Table, range: &KeyRange, step: &mut Step<'_>) -> Result<(), KvError> {
        let lock = if self.locks {
            " LOCK IN SHARE MODE"
        } else {
            ""
        };
        self.pages(table, range, lock, step)
    }
}

impl Change for Transaction {
    fn put(&mut self, table: Table, key: &[u8], value: &[u8]) -> Result<(), KvError> {
        self.execute(PUT, (table.prefixed_key(key), value))
    }

    fn delete(&mut self, table: Table, key: &[u8]) -> Result<(), KvError> {
        self.execute(DELETE, (table.prefixed_key(key),))
    }

    fn peek(&self, table: Table, range: &KeyRange, step: &mut Step<'_>) -> Result<(), KvError> {
        self.pages(table, range, "", step)
    }
}

fn failed(error: Error) -> KvError {
    match &error {
        Error::MySqlError(said) if CONFLICTS.contains(&said.code) => KvError::Conflict,
        Error::MySqlError(said) if DAMAGED.contains(&said.code) => KvError::corrupt(error),
        _ => KvError::unavailable(error),
    }
}

#[cfg(test)]
mod tests {
    use super::{MariaKv, server};

    gatepost_kv::kit!(|folder| MariaKv::open(&server::database_of(folder)).unwrap());
}
