//! Rows in bulk, written by the bare driver behind the store's back: what an engine would take
//! hours to make. Until they are written, the store is open nowhere else.

#![allow(clippy::unwrap_used, reason = "a bench stops at the first surprise")]

mod postgres;
mod sqlite;

use chrono::{DateTime, TimeDelta, Utc};

use crate::platform::Kind;

/// One in this number of ended deliveries ended in error; a prime, so that it happens to all
/// webhooks.
const ERRORS: i64 = 97;

/// A connection by which rows are written.
#[derive(Debug)]
pub enum Bulk {
    /// To a file.
    Sqlite(sqlite::Filler),
    /// To a server.
    Postgres(postgres::Filler),
}

/// Deliveries that wait, the first of them due at `due`, each other one `step` later; number `n`
/// for the webhook `n` modulo `lanes`.
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    /// How many.
    pub count: i64,
    /// Webhooks that have some.
    pub lanes: i64,
    /// When the first is due.
    pub due: DateTime<Utc>,
    /// How much later each other one is.
    pub step: TimeDelta,
}

impl Bulk {
    /// To the store that lies there.
    pub async fn at(kind: Kind, place: &str) -> Self {
        match kind {
            Kind::Sqlite => Self::Sqlite(sqlite::Filler::open(place)),
            Kind::Postgres => Self::Postgres(postgres::Filler::open(place).await),
        }
    }

    /// As many copies of each webhook as make `count` webhooks in all.
    pub async fn copy_hooks(&mut self, count: i64) {
        match self {
            Self::Sqlite(filler) => filler.copy_hooks(count),
            Self::Postgres(filler) => filler.copy_hooks(count).await,
        }
    }

    /// Deliveries that have ended, created within that time, spread over all webhooks. The log is
    /// empty before.
    pub async fn ended(&mut self, count: i64, from: DateTime<Utc>, until: DateTime<Utc>) {
        match self {
            Self::Sqlite(filler) => filler.ended(count, from, until),
            Self::Postgres(filler) => filler.ended(count, from, until).await,
        }
    }

    /// Deliveries that wait.
    pub async fn waiting(&mut self, waiting: Waiting) {
        match self {
            Self::Sqlite(filler) => filler.waiting(waiting),
            Self::Postgres(filler) => filler.waiting(waiting).await,
        }
    }

    /// Rows of the outbox, number `n` for the tenant `n` modulo `tenants`, from 1 on.
    pub async fn outbox(&mut self, count: i64, tenants: i64) {
        match self {
            Self::Sqlite(filler) => filler.outbox(count, tenants),
            Self::Postgres(filler) => filler.outbox(count, tenants).await,
        }
    }

    /// One row of the outbox, with this number.
    pub async fn occurrence(&mut self, number: usize, tenant: i64) {
        match self {
            Self::Sqlite(filler) => filler.occurrence(number, tenant),
            Self::Postgres(filler) => filler.occurrence(number, tenant).await,
        }
    }

    /// The number that such a query answers.
    pub async fn count(&self, sql: &str) -> i64 {
        match self {
            Self::Sqlite(filler) => filler.count(sql),
            Self::Postgres(filler) => filler.count(sql).await,
        }
    }

    /// Takes out what was deleted from the queue, as the server does by itself from time to time.
    pub async fn vacuum(&self) {
        match self {
            Self::Sqlite(_) => {}
            Self::Postgres(filler) => filler.vacuum().await,
        }
    }

    /// Begins a transaction that sees the database as it is now until this is dropped: a report, a
    /// dump.
    pub async fn hold(&self) {
        match self {
            Self::Sqlite(filler) => filler.hold(),
            Self::Postgres(filler) => filler.hold().await,
        }
    }
}
