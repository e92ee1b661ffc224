//! A connection that only checks what has changed, by whichever process.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, Params};

use crate::error::{Answer, Result, unavailable};

/// How often a wait for other processes checks.
const LOOK: Duration = Duration::from_millis(250);

pub(crate) struct Watch {
    connection: Mutex<Option<Connection>>,
    seen: std::sync::atomic::AtomicI64,
}

impl Watch {
    pub(crate) fn new(connection: Connection) -> Self {
        Self {
            connection: Mutex::new(Some(connection)),
            seen: std::sync::atomic::AtomicI64::new(-1),
        }
    }

    /// The generation of this slice of the keys in the file now; takes a few microseconds.
    pub(crate) fn key_generation(&self, slice: u8) -> Option<i64> {
        let sql = "SELECT generation FROM gatepost_key_slice WHERE slice = ?1";
        self.ask(sql, [slice])
    }

    /// A read of a few rows in one transaction, on the caller's thread: for what requests wait for.
    pub(crate) fn read<T>(&self, read: impl FnOnce(&Connection) -> Result<T>) -> Answer<T> {
        let connection = self.lock();
        let connection = connection.as_ref();
        let connection = connection.ok_or_else(|| unavailable("the store is closed"))?;
        let answer = || -> Result<T> {
            let tx = connection.unchecked_transaction()?;
            let answer = read(&tx)?;
            Ok(tx.finish().map(|()| answer)?)
        };
        Ok(answer()?)
    }

    /// Returns after a commit of any connection but this one.
    pub(crate) async fn changed(&self) {
        loop {
            tokio::time::sleep(LOOK).await;
            let now = self.ask("PRAGMA data_version", []).unwrap_or(-1);
            let before = self.seen.swap(now, std::sync::atomic::Ordering::AcqRel);
            if before != now && before != -1 {
                return;
            }
        }
    }

    pub(crate) fn close(&self) {
        self.lock().take();
    }

    fn ask(&self, sql: &str, params: impl Params) -> Option<i64> {
        let connection = self.lock();
        let asked = |c: &Connection| -> Result<i64> {
            Ok(c.prepare_cached(sql)?.query_row(params, |row| row.get(0))?)
        };
        asked(connection.as_ref()?).ok()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Connection>> {
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
