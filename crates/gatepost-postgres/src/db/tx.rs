//! A transaction of several round trips.

use deadpool_postgres::Client;
use futures_util::FutureExt as _;
use tokio_postgres::Row;

use super::{Db, Param};
use crate::error::{Failure, Result};

/// A transaction. Rolled back when it is dropped before its commit.
pub(crate) struct Tx {
    client: Client,
    db: Db,
    open: bool,
}

impl Db {
    /// Begins a transaction with this simple statement.
    pub(crate) async fn begin(&self, begin: &str) -> Result<Tx> {
        let client = self.client().await?;
        // From here on: a future that is dropped while the statement is under way rolls back.
        let tx = Tx {
            client,
            db: self.clone(),
            open: true,
        };
        tx.client.batch_execute(begin).await?;
        Ok(tx)
    }
}

impl Tx {
    /// The rows of a statement that is asked for often.
    pub(crate) async fn query(&self, sql: &str, params: &[Param<'_>]) -> Result<Vec<Row>> {
        let text = self.db.texts.text(sql);
        let statement = self.client.prepare_cached(&text).await?;
        Ok(self.client.query(&statement, params).await?)
    }

    /// The first row.
    pub(crate) async fn query_one(&self, sql: &str, params: &[Param<'_>]) -> Result<Row> {
        let row = self.query(sql, params).await?.into_iter().next();
        row.ok_or_else(|| Failure::unavailable("no row came back"))
    }

    /// Simple statements without parameters, used once.
    pub(crate) async fn run(&self, sql: &str) -> Result<()> {
        let text = self.db.texts.written(sql);
        Ok(self.client.batch_execute(&text).await?)
    }

    pub(crate) async fn commit(mut self) -> Result<()> {
        self.client.batch_execute("COMMIT").await?;
        self.open = false;
        Ok(())
    }
}

impl Drop for Tx {
    fn drop(&mut self) {
        if self.open {
            // Sent at the first poll; the next user of the connection comes behind it.
            let _ = self.client.batch_execute("ROLLBACK").now_or_never();
        }
    }
}
