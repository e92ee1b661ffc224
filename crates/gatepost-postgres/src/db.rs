//! Connections, and the two shapes of a transaction.

use std::time::Duration;

use deadpool_postgres::{
    Client, Manager, ManagerConfig, Pool, RecyclingMethod, Runtime, Transaction,
};
use gatepost_storage::{ErrorKind, StoreError};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use crate::config::PostgresConfig;
use crate::error::{Failure, Result};
use crate::tls;

/// How long a call waits for a connection of the pool.
const WAIT: Duration = Duration::from_secs(10);

pub(crate) type Param<'a> = &'a (dyn ToSql + Sync);

/// The pool. A connection that was lost is replaced when the next call asks for one.
#[derive(Clone)]
pub(crate) struct Db {
    pool: Pool,
    lock: i64,
}

impl Db {
    pub(crate) fn new(config: &PostgresConfig) -> std::result::Result<Self, StoreError> {
        let manager = Manager::from_config(
            config.driver()?,
            tls::connector(config)?,
            ManagerConfig {
                recycling_method: RecyclingMethod::Fast,
            },
        );
        let pool = Pool::builder(manager)
            .max_size(config.max_connections)
            .runtime(Runtime::Tokio1)
            .wait_timeout(Some(WAIT))
            .create_timeout(Some(WAIT))
            .recycle_timeout(Some(WAIT))
            .build()
            .map_err(|e| {
                StoreError::new(ErrorKind::Invalid, "the pool cannot be built").with_source(e)
            })?;
        Ok(Self {
            pool,
            lock: lock_number(config.schema_name()?),
        })
    }

    pub(crate) async fn client(&self) -> Result<Client> {
        Ok(self.pool.get().await?)
    }

    /// The number of the advisory lock of this schema.
    pub(crate) fn lock(&self) -> i64 {
        self.lock
    }

    pub(crate) fn close(&self) {
        self.pool.close();
    }

    /// One statement.
    pub(crate) async fn query(&self, sql: &str, params: &[Param<'_>]) -> Result<Vec<Row>> {
        let client = self.client().await?;
        let statement = client.prepare_cached(sql).await?;
        Ok(client.query(&statement, params).await?)
    }

    pub(crate) async fn query_opt(&self, sql: &str, params: &[Param<'_>]) -> Result<Option<Row>> {
        Ok(self.query(sql, params).await?.into_iter().next())
    }

    /// One statement; returns how many rows it changed. Repeated when it lost a deadlock.
    pub(crate) async fn execute(&self, sql: &str, params: &[Param<'_>]) -> Result<u64> {
        let mut tries = 0;
        loop {
            let client = self.client().await?;
            let statement = client.prepare_cached(sql).await?;
            match client
                .execute(&statement, params)
                .await
                .map_err(Failure::from)
            {
                Err(failure) if failure.was_victim && tries < 3 => tries += 1,
                other => return other,
            }
        }
    }

    /// Several statements in one transaction and one round trip: all are sent at once. `begin` is a
    /// simple statement; returns the rows of the last statement.
    ///
    /// Sent at the first poll, so a future that is dropped leaves a whole transaction.
    pub(crate) async fn pipeline(
        &self,
        begin: &str,
        statements: &[(&str, &[Param<'_>])],
    ) -> Result<Vec<Row>> {
        let client = self.client().await?;
        let mut prepared = Vec::with_capacity(statements.len());
        for (sql, params) in statements {
            prepared.push((client.prepare_cached(sql).await?, *params));
        }
        let client = &client;
        let bodies = futures_util::future::join_all(
            prepared
                .iter()
                .map(|(statement, params)| client.query(statement, params)),
        );
        let (begun, bodies, ended) = tokio::join!(
            client.batch_execute(begin),
            bodies,
            client.batch_execute("COMMIT")
        );
        begun?;
        let mut last = Vec::new();
        for rows in bodies {
            last = rows?;
        }
        ended?;
        Ok(last)
    }

    /// `BEGIN` with the routes lock shared: records do not change until the commit.
    pub(crate) fn begin_shared(&self) -> String {
        format!("BEGIN; SELECT pg_advisory_xact_lock_shared({})", self.lock)
    }

    /// The first step of every change of a record: takes the routes lock exclusively and moves the
    /// version. Returns the new one.
    pub(crate) async fn routes_changed(&self, tx: &Transaction<'_>) -> Result<i64> {
        tx.execute("SELECT pg_advisory_xact_lock($1)", &[&self.lock])
            .await?;
        let row = tx
            .query_one(
                "UPDATE gatepost_routes SET version = version + 1 RETURNING version",
                &[],
            )
            .await?;
        Ok(row.try_get(0)?)
    }
}

/// FNV-1a of the schema's name: stores in different schemas of one database do not wait for each
/// other.
fn lock_number(schema: &str) -> i64 {
    let hash = schema
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    i64::from_ne_bytes(hash.to_ne_bytes())
}
