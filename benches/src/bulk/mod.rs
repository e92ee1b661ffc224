//! Rows in bulk, written by the bare driver and not by the store: an engine would take hours to
//! make them. Until they are written, the store is open nowhere else.

#![allow(clippy::unwrap_used, reason = "a bench stops at the first surprise")]

mod postgres;
mod sqlite;

use chrono::{DateTime, TimeDelta, Utc};

use crate::platform::Kind;

/// One in this number of ended deliveries ended in error; a prime, so that it happens to all
/// webhooks.
const ERRORS: i64 = 97;

/// A connection that writes rows.
#[derive(Debug)]
pub enum Bulk {
    /// To a file.
    Sqlite(sqlite::Filler),
    /// To a server.
    Postgres(postgres::Filler),
}

/// Waiting deliveries, the first of them due at `due`, each other one `step` later; number `n` for
/// the webhook `n` modulo `queues`.
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    /// Their number.
    pub count: i64,
    /// The number of webhooks that have some.
    pub queues: i64,
    /// The due time of the first.
    pub due: DateTime<Utc>,
    /// The time between two due times.
    pub step: TimeDelta,
}

impl Bulk {
    /// Connects to the store at this location.
    pub async fn at(kind: Kind, place: &str) -> Self {
        match kind {
            Kind::Sqlite => Self::Sqlite(sqlite::Filler::open(place)),
            Kind::Postgres => Self::Postgres(postgres::Filler::open(place).await),
        }
    }

    /// Copies each webhook until there are `count` webhooks in all.
    pub async fn copy_hooks(&mut self, count: i64) {
        match self {
            Self::Sqlite(filler) => filler.copy_hooks(count),
            Self::Postgres(filler) => filler.copy_hooks(count).await,
        }
    }

    /// Writes ended deliveries, created within that time, spread over all webhooks. The log must be
    /// empty before.
    pub async fn ended(&mut self, count: i64, from: DateTime<Utc>, until: DateTime<Utc>) {
        match self {
            Self::Sqlite(filler) => filler.ended(count, from, until),
            Self::Postgres(filler) => filler.ended(count, from, until).await,
        }
    }

    /// Writes waiting deliveries.
    pub async fn waiting(&mut self, waiting: Waiting) {
        match self {
            Self::Sqlite(filler) => filler.waiting(waiting),
            Self::Postgres(filler) => filler.waiting(waiting).await,
        }
    }

    /// Writes rows of the outbox, number `n` for the tenant `n` modulo `tenants`, from 1 on.
    pub async fn outbox(&mut self, count: i64, tenants: i64) {
        match self {
            Self::Sqlite(filler) => filler.outbox(count, tenants),
            Self::Postgres(filler) => filler.outbox(count, tenants).await,
        }
    }

    /// Writes one row of the outbox, with this number.
    pub async fn occurrence(&mut self, number: usize, tenant: i64) {
        match self {
            Self::Sqlite(filler) => filler.occurrence(number, tenant),
            Self::Postgres(filler) => filler.occurrence(number, tenant).await,
        }
    }

    /// Returns the number that such a query selects.
    pub async fn count(&self, sql: &str) -> i64 {
        match self {
            Self::Sqlite(filler) => filler.count(sql),
            Self::Postgres(filler) => filler.count(sql).await,
        }
    }

    /// Removes deleted rows from the queue, as the server does by itself from time to time.
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
