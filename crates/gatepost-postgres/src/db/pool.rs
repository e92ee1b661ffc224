//! The pool, and statements in one round trip.

use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::{
    Client, Manager, ManagerConfig, Pool, QueueMode, RecyclingMethod, Runtime,
};
use gatepost_storage::{ErrorKind, StoreError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tokio_postgres::{Row, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::lock_wait::Waits;
use super::opening::Opening;
use super::schema_check::Fence;
use super::statement::{Param, Returned, prepared, together, within};
use super::text::Texts;
use crate::config::PostgresConfig;
use crate::error::{Failure, Result};
use crate::settings::Settings;
use crate::tls;

/// How long a call waits for a connection from the pool.
const WAIT: Duration = Duration::from_secs(10);
/// The beginning of a transaction of one statement.
const ONE: &str = "BEGIN";
/// How often a transaction that lost a deadlock is attempted.
const TRIES: u32 = 3;

/// The pool. A lost connection is replaced when the next call needs one.
#[derive(Clone)]
pub(crate) struct Db {
    pool: Pool,
    lock: i64,
    texts: Texts,
    settings: Arc<Settings>,
    waits: Arc<Waits>,
    /// Permits for long reads, half of the connections: deliveries never wait for long reads to
    /// end.
    readers: Arc<Semaphore>,
    /// Used for the separate connections of cancellations.
    tls: MakeRustlsConnect,
    /// `None` while the schema is being migrated.
    fence: Option<Fence>,
}

/// A connection of the pool.
pub(super) struct Session {
    pub(super) client: Client,
    pub(super) db: Db,
}

impl Db {
    pub(crate) fn new(config: &PostgresConfig) -> std::result::Result<Self, StoreError> {
        let (tls, settings) = (tls::connector(config)?, config.settings());
        let manager = Manager::from_connect(
            tokio_postgres::Config::new(), // `Opening` has its own
            Opening::new(config.driver()?, tls.clone(), &settings),
            ManagerConfig {
                recycling_method: RecyclingMethod::Fast,
            },
        );
        let pool = Pool::builder(manager)
            .max_size(config.max_connections)
            // The connection that was used last has the needed data in its session's caches.
            .queue_mode(QueueMode::Lifo)
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
            settings: Arc::new(settings),
            waits: Arc::new(Waits::new(config.max_connections, config.lock_timeout)),
            readers: Arc::new(Semaphore::new((config.max_connections / 2).max(1))),
            tls,
            fence: None,
        })
    }

    /// Returns the same pool, usable only while the schema is of a known version.
    pub(crate) fn fenced(mut self, fence: &Fence) -> Self {
        self.fence = Some(fence.clone());
        self
    }

    /// Returns the number of the advisory lock of this schema's migrations.
    pub(crate) fn lock(&self) -> i64 {
        self.lock
    }

    /// Returns the first number of the advisory locks of this schema's realms.
    pub(crate) fn places(&self) -> i32 {
        let [a, b, c, d, ..] = self.lock.to_be_bytes();
        i32::from_be_bytes([a, b, c, d])
    }

    /// Returns the waiting lists of locks that other transactions hold.
    pub(crate) fn waits(&self) -> &Waits {
        &self.waits
    }

    pub(crate) fn close(&self) {
        self.pool.close();
    }

    /// Returns a permit for long reads, valid until it is dropped.
    pub(crate) async fn reader(&self) -> Result<OwnedSemaphorePermit> {
        let room = timeout(WAIT, Arc::clone(&self.readers).acquire_owned()).await;
        let room = room.ok().and_then(std::result::Result::ok);
        room.ok_or_else(|| Failure::unavailable("others are reading long lists"))
    }

    /// Runs one statement.
    pub(crate) async fn query(&self, sql: &str, params: &[Param<'_>]) -> Result<Vec<Row>> {
        Ok(self.one(sql, params).await?.rows)
    }

    pub(crate) async fn query_opt(&self, sql: &str, params: &[Param<'_>]) -> Result<Option<Row>> {
        Ok(self.query(sql, params).await?.into_iter().next())
    }

    /// Runs one statement that returns a row.
    pub(crate) async fn row(&self, sql: &str, params: &[Param<'_>]) -> Result<Row> {
        self.query_opt(sql, params)
            .await?
            .ok_or_else(Failure::nothing)
    }

    /// Runs one statement that returns a Boolean.
    pub(crate) async fn is(&self, sql: &str, params: &[Param<'_>]) -> Result<bool> {
        Ok(self.row(sql, params).await?.try_get(0)?)
    }

    /// Runs one statement; returns the number of changed rows.
    pub(crate) async fn execute(&self, sql: &str, params: &[Param<'_>]) -> Result<u64> {
        Ok(self.one(sql, params).await?.count)
    }

    /// Runs one statement in a transaction with its own `BEGIN`. It is not cached: the same list is
    /// seldom requested twice in a row.
    pub(crate) async fn read(
        &self,
        begin: &str,
        sql: &str,
        params: &[Param<'_>],
    ) -> Result<Vec<Row>> {
        let session = self.session().await?;
        let begin = self.begun(begin);
        let ready = prepared(&session.client, &begin, &self.written(sql)).await?;
        let returned = together(&session.client, &begin, &[(&ready, params)]).await?;
        Ok(returned.into_iter().flat_map(|one| one.rows).collect())
    }

    /// Runs several statements in one transaction and one round trip; returns the rows of each.
    pub(crate) async fn pipeline(
        &self,
        begin: &str,
        statements: &[(&str, &[Param<'_>])],
    ) -> Result<Vec<Vec<Row>>> {
        let returned = self.transaction(begin, statements).await?;
        Ok(returned.into_iter().map(|one| one.rows).collect())
    }

    /// Returns the first row that the last of several statements returns.
    pub(crate) async fn last_row(&self, statements: &[(&str, &[Param<'_>])]) -> Result<Row> {
        let rows = self.pipeline(ONE, statements).await?.pop();
        let row = rows.and_then(|rows| rows.into_iter().next());
        row.ok_or_else(Failure::nothing)
    }

    async fn one(&self, sql: &str, params: &[Param<'_>]) -> Result<Returned> {
        let mut returned = self.transaction(ONE, &[(sql, params)]).await?;
        returned.pop().ok_or_else(Failure::nothing)
    }

    /// Runs a transaction, and repeats it if it lost a deadlock.
    async fn transaction(
        &self,
        begin: &str,
        statements: &[(&str, &[Param<'_>])],
    ) -> Result<Vec<Returned>> {
        let mut tries = 0;
        loop {
            match self.once(begin, statements).await {
                Err(failure) if failure.was_victim && tries < TRIES => tries += 1,
                other => return other,
            }
        }
    }

    async fn once(
        &self,
        begin: &str,
        statements: &[(&str, &[Param<'_>])],
    ) -> Result<Vec<Returned>> {
        let session = self.session().await?;
        let mut ready = Vec::with_capacity(statements.len());
        for (sql, _) in statements {
            ready.push(session.ready(sql).await?);
        }
        let params = statements.iter().map(|(_, params)| *params);
        let all: Vec<_> = ready.iter().zip(params).collect();
        together(&session.client, &self.begun(begin), &all).await
    }

    pub(super) async fn session(&self) -> Result<Session> {
        let looked = self.fence.as_ref().map_or(Ok(true), Fence::stands)?;
        let session = Session {
            client: self.pool.get().await?,
            db: self.clone(),
        };
        if let (Some(fence), false) = (&self.fence, looked) {
            let begin = self.begun(ONE);
            fence.look(&session.client, &begin, &self.texts).await?;
        }
        Ok(session)
    }

    /// Returns the beginning of a transaction with all its settings.
    pub(super) fn begun(&self, begin: &str) -> Arc<str> {
        self.texts.cached(begin, |begin| self.settings.said(begin))
    }

    /// Returns the same for a transaction whose statements take at most this long.
    pub(super) fn begun_long(&self, begin: &str, longest: Duration) -> String {
        self.settings.said_long(begin, longest)
    }

    /// Returns the TLS connector.
    pub(super) fn tls(&self) -> MakeRustlsConnect {
        self.tls.clone()
    }

    /// Returns the text of a statement that is used once.
    pub(super) fn written(&self, sql: &str) -> String {
        self.texts.written(sql)
    }
}

impl Session {
    /// Returns the statement prepared on this connection.
    pub(super) async fn ready(&self, sql: &str) -> Result<Statement> {
        let text = self.db.texts.text(sql);
        if let Ok(statement) = self.client.prepare_cached(&text).await {
            return Ok(statement);
        }
        // The session of a pooler may have too short a timeout even for this.
        let again = async { Ok(self.client.prepare_cached(&text).await?) };
        within(&self.client, &self.db.begun(ONE), again).await
    }
}

/// Returns FNV-1a of the schema's name: stores in different schemas of one database do not wait for
/// each other.
fn lock_number(schema: &str) -> i64 {
    let hash = schema
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    i64::from_ne_bytes(hash.to_ne_bytes())
}
