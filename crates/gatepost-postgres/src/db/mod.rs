//! Connections, and the shapes of a transaction.

mod text;
mod tx;

use std::time::Duration;

use deadpool_postgres::{Client, Manager, ManagerConfig, Pool, RecyclingMethod, Runtime};
use gatepost_storage::{ErrorKind, StoreError};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

pub(crate) use self::text::Texts;
pub(crate) use self::tx::Tx;
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
    texts: Texts,
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
        let schema = config.schema_name()?;
        Ok(Self {
            pool,
            lock: lock_number(schema),
            texts: Texts::of(schema),
        })
    }

    pub(crate) async fn client(&self) -> Result<Client> {
        Ok(self.pool.get().await?)
    }

    /// The number of the advisory lock under which this schema is migrated.
    pub(crate) fn lock(&self) -> i64 {
        self.lock
    }

    /// The first number of the advisory locks of this schema's places.
    pub(crate) fn places(&self) -> i32 {
        let [a, b, c, d, ..] = self.lock.to_be_bytes();
        i32::from_be_bytes([a, b, c, d])
    }

    pub(crate) fn close(&self) {
        self.pool.close();
    }

    /// One statement.
    pub(crate) async fn query(&self, sql: &str, params: &[Param<'_>]) -> Result<Vec<Row>> {
        let client = self.client().await?;
        let statement = client.prepare_cached(&self.texts.text(sql)).await?;
        Ok(client.query(&statement, params).await?)
    }

    pub(crate) async fn query_opt(&self, sql: &str, params: &[Param<'_>]) -> Result<Option<Row>> {
        Ok(self.query(sql, params).await?.into_iter().next())
    }

    /// One statement; returns how many rows it changed. Repeated when it lost a deadlock.
    pub(crate) async fn execute(&self, sql: &str, params: &[Param<'_>]) -> Result<u64> {
        let text = self.texts.text(sql);
        let mut tries = 0;
        loop {
            let client = self.client().await?;
            let statement = client.prepare_cached(&text).await?;
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

    /// One statement in a transaction of its own kind. Not cached: a shape is seldom asked for
    /// twice in a row.
    pub(crate) async fn read(
        &self,
        begin: &str,
        sql: &str,
        params: &[Param<'_>],
    ) -> Result<Vec<Row>> {
        let client = self.client().await?;
        let statement = client.prepare(&self.texts.written(sql)).await?;
        let (begun, rows, ended) = tokio::join!(
            client.batch_execute(begin),
            client.query(&statement, params),
            client.batch_execute("COMMIT")
        );
        begun?;
        let rows = rows?;
        ended?;
        Ok(rows)
    }

    /// Several statements in one transaction and one round trip: all are sent at once, so that the
    /// server alone decides how long its locks are held. `begin` is a simple statement; returns the
    /// rows of each statement.
    ///
    /// Sent at the first poll, so a future that is dropped leaves a whole transaction.
    pub(crate) async fn pipeline(
        &self,
        begin: &str,
        statements: &[(&str, &[Param<'_>])],
    ) -> Result<Vec<Vec<Row>>> {
        let client = self.client().await?;
        let mut prepared = Vec::with_capacity(statements.len());
        for (sql, params) in statements {
            let text = self.texts.text(sql);
            prepared.push((client.prepare_cached(&text).await?, *params));
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
        let mut answers = Vec::with_capacity(bodies.len());
        for rows in bodies {
            answers.push(rows?);
        }
        ended?;
        Ok(answers)
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
