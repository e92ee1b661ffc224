//! Reads: on a limited number of connections, on the runtime's blocking threads.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use gatepost_storage::StoreError;
use rusqlite::Connection;
use tokio::sync::Semaphore;

use crate::config::SqliteConfig;
use crate::error::{Answer, Failure, Result, unavailable};
use crate::{backup, connection, version};

#[derive(Clone)]
pub(crate) struct Readers {
    config: Arc<SqliteConfig>,
    idle: Arc<Mutex<Vec<Connection>>>,
    places: Arc<Semaphore>,
}

impl Readers {
    pub(crate) fn new(config: SqliteConfig) -> Self {
        Self {
            places: Arc::new(Semaphore::new(config.readers)),
            idle: Arc::default(),
            config: Arc::new(config),
        }
    }

    /// Runs `read` in one read transaction: all its statements see the same state.
    pub(crate) async fn run<T, F>(&self, read: F) -> Answer<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T> + Send + 'static,
    {
        let place = Arc::clone(&self.places)
            .acquire_owned()
            .await
            .map_err(|_| unavailable("the store is closed"))?;
        let readers = self.clone();
        let task = tokio::task::spawn_blocking(move || {
            let answer = readers.on_connection(read);
            drop(place);
            answer
        });
        match task.await {
            Ok(answer) => answer.map_err(StoreError::from),
            Err(error) => Err(unavailable("the read was cancelled").with_source(error)),
        }
    }

    /// See [`SqliteStore::back_up`](crate::SqliteStore::back_up). Uses a separate connection, which
    /// does not count as a reader.
    pub(crate) async fn back_up(&self, to: PathBuf) -> Answer<()> {
        if self.places.is_closed() {
            return Err(unavailable("the store is closed"));
        }
        let config = Arc::clone(&self.config);
        let task = tokio::task::spawn_blocking(move || backup::copy(&config, &to));
        match task.await {
            Ok(answer) => answer.map_err(StoreError::from),
            Err(error) => Err(unavailable("the backup was cancelled").with_source(error)),
        }
    }

    /// Refuses further reads and closes idle connections.
    pub(crate) fn close(&self) {
        self.places.close();
        self.idle().clear();
    }

    fn on_connection<T>(&self, read: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let idle = self.idle().pop();
        let connection = idle.map_or_else(|| connection::reader(&self.config), Ok)?;
        let answer = {
            let tx = connection.unchecked_transaction()?;
            let answer = version::check(&tx).and_then(|()| read(&tx));
            tx.finish().map(|()| answer)?
        };
        // A connection on which SQLite failed is not used again.
        if !matches!(answer, Err(Failure::Sql(_))) && !self.places.is_closed() {
            self.idle().push(connection);
        }
        answer
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
