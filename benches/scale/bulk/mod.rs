//! Rows in bulk, written by the bare driver behind the store's back: what an engine would take
//! hours to make. Until they are written, the store is open nowhere else.

mod postgres;
mod sqlite;

use std::sync::Arc;

use benches::platform::{Kind, Platform};
use chrono::{DateTime, TimeDelta, Utc};

use crate::emitter::owner;
use crate::stage::Store;

/// One in this number of ended deliveries ended in error; a prime, so that it happens to all
/// webhooks.
const ERRORS: i64 = 97;

/// A connection by which rows are written.
#[derive(Debug)]
pub(crate) enum Bulk {
    Sqlite(sqlite::Filler),
    Postgres(postgres::Filler),
}

/// Deliveries that wait, the first of them due at `due`, each other one `step` later; number `n`
/// for the webhook `n` modulo `lanes`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    pub(crate) count: i64,
    pub(crate) lanes: i64,
    pub(crate) due: DateTime<Utc>,
    pub(crate) step: TimeDelta,
}

/// A webhook for each of these tenants, which sends to this port; with a task and an event, or
/// without. Nothing has the store open afterwards.
pub(crate) async fn hooks(store: &Store, port: u16, tenants: i64, with_tasks: bool) {
    let platform = Platform::at(store.kind, &store.place).await;
    let platform = Arc::new(platform.with_bytes(200));
    let url = format!("http://target.test:{port}/");
    let tasks = usize::from(with_tasks);
    platform
        .records_of_all((1..=tenants).map(owner), &url, tasks)
        .await;
}

impl Bulk {
    pub(crate) async fn open(store: &Store) -> Self {
        Self::at(store.kind, &store.place).await
    }

    pub(crate) async fn at(kind: Kind, place: &str) -> Self {
        match kind {
            Kind::Sqlite => Self::Sqlite(sqlite::Filler::open(place)),
            Kind::Postgres => Self::Postgres(postgres::Filler::open(place).await),
        }
    }

    /// As many copies of each webhook as make `count` webhooks in all.
    pub(crate) async fn copy_hooks(&mut self, count: i64) {
        match self {
            Self::Sqlite(filler) => filler.copy_hooks(count),
            Self::Postgres(filler) => filler.copy_hooks(count).await,
        }
    }

    /// Deliveries that have ended, created within that time, spread over all webhooks. The log is
    /// empty before.
    pub(crate) async fn ended(&mut self, count: i64, from: DateTime<Utc>, until: DateTime<Utc>) {
        match self {
            Self::Sqlite(filler) => filler.ended(count, from, until),
            Self::Postgres(filler) => filler.ended(count, from, until).await,
        }
    }

    /// Deliveries that wait.
    pub(crate) async fn waiting(&mut self, waiting: Waiting) {
        match self {
            Self::Sqlite(filler) => filler.waiting(waiting),
            Self::Postgres(filler) => filler.waiting(waiting).await,
        }
    }

    /// Rows of the outbox, number `n` for the tenant `n` modulo `tenants`, from 1 on.
    pub(crate) async fn outbox(&mut self, count: i64, tenants: i64) {
        match self {
            Self::Sqlite(filler) => filler.outbox(count, tenants),
            Self::Postgres(filler) => filler.outbox(count, tenants).await,
        }
    }

    /// The number that such a query answers.
    pub(crate) async fn count(&self, sql: &str) -> i64 {
        match self {
            Self::Sqlite(filler) => filler.count(sql),
            Self::Postgres(filler) => filler.count(sql).await,
        }
    }

    /// Takes out what was deleted from the queue, as the server does by itself from time to time.
    pub(crate) async fn vacuum(&self) {
        match self {
            Self::Sqlite(_) => {}
            Self::Postgres(filler) => filler.vacuum().await,
        }
    }

    /// Begins a transaction that sees the database as it is now until this is dropped: a report, a
    /// dump.
    pub(crate) async fn hold(&self) {
        match self {
            Self::Sqlite(filler) => filler.hold(),
            Self::Postgres(filler) => filler.hold().await,
        }
    }
}
