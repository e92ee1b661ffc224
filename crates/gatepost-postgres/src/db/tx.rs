//! A transaction of several round trips.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use tokio::runtime::Handle;
use tokio::sync::OwnedSemaphorePermit;
use tokio_postgres::Row;

use super::dropped_tx::give_back;
use super::pool::{Db, Session};
use super::statement::{Param, run};
use crate::error::{Failure, Result};

/// A transaction, rolled back if it is dropped before its commit. Until the server has rolled back,
/// no other call gets its connection or its permit.
pub(crate) struct Tx {
    session: Arc<Session>,
    room: Option<OwnedSemaphorePermit>,
    open: bool,
}

impl Db {
    /// Begins a transaction; `begin` has the form that [`Settings`](crate::settings::Settings)
    /// takes.
    pub(crate) async fn begin(&self, begin: &str) -> Result<Tx> {
        self.begin_with(&self.begun(begin), None).await
    }

    /// Begins a transaction that may read long, with this permit; each of its statements may take
    /// this long at most.
    pub(crate) async fn begin_long(
        &self,
        begin: &str,
        room: OwnedSemaphorePermit,
        longest: Duration,
    ) -> Result<Tx> {
        let begin = self.begun_long(begin, longest);
        self.begin_with(&begin, Some(room)).await
    }

    async fn begin_with(&self, begin: &str, room: Option<OwnedSemaphorePermit>) -> Result<Tx> {
        // From here on a future that is dropped during the statement rolls back.
        let tx = Tx {
            session: Arc::new(self.session().await?),
            room,
            open: true,
        };
        tx.session.client.batch_execute(begin).await?;
        Ok(tx)
    }
}

impl Tx {
    /// Returns the rows of a statement that is used often.
    pub(crate) async fn query(&self, sql: &str, params: &[Param<'_>]) -> Result<Vec<Row>> {
        let ready = self.session.ready(sql).await?;
        Ok(run(&self.session.client, &ready, params).await?.rows)
    }

    /// Returns the first row.
    pub(crate) async fn query_one(&self, sql: &str, params: &[Param<'_>]) -> Result<Row> {
        let row = self.query(sql, params).await?.into_iter().next();
        row.ok_or_else(Failure::nothing)
    }

    /// Runs simple statements without parameters that are used once.
    pub(crate) async fn run(&self, sql: &str) -> Result<()> {
        let text = self.session.db.written(sql);
        Ok(self.session.client.batch_execute(&text).await?)
    }

    pub(crate) async fn commit(mut self) -> Result<()> {
        self.session.client.batch_execute("COMMIT").await?;
        self.open = false;
        Ok(())
    }
}

impl Drop for Tx {
    fn drop(&mut self) {
        if self.open {
            // Sent at the first poll.
            let _ = self.session.client.batch_execute("ROLLBACK").now_or_never();
            // Without a runtime the connection is not used again.
            if let Ok(runtime) = Handle::try_current() {
                runtime.spawn(give_back(Arc::clone(&self.session), self.room.take()));
            }
        }
    }
}
