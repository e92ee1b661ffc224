//! Waiting for locks that other transactions hold on a realm, without a connection of the pool.

use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tokio_postgres::Row;

use crate::error::{Failure, Result};

const TRY: &str = concat!(sql!("place/needed"), sql!("place/try_all"));
const WAIT: &str = concat!(sql!("place/needed"), sql!("place/wait"));
/// The number of locks; `gatepost_slot` numbers them.
const SLOTS: usize = 322;
/// A transaction that waits for a lock gives its connection back after this long and is retried
/// later, so that a realm that stays locked does not use up the pool.
pub(crate) const BEGIN_WAITING: &str = "BEGIN; SET LOCAL lock_timeout = '250ms'";
/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// The error if a realm stays locked for longer than the patience.
pub(crate) const LOCKED: &str = "the realm stayed locked";

/// The result of an attempt with locks. If a lock was missing nothing was done, and its slot is the
/// error.
pub(crate) type Tried<T> = Result<std::result::Result<T, Option<i32>>>;

/// The limits of waiting in this process: one call for each lock, and for all calls together a
/// quarter of the pool's connections.
#[derive(Debug)]
pub(crate) struct Waits {
    slots: Vec<Semaphore>,
    connections: Semaphore,
    patience: Duration,
}

/// A call that needs locks. Its first attempts do not wait, and report the missing lock.
pub(crate) struct Turn<'a> {
    waits: &'a Waits,
    until: Instant,
    pause: Duration,
    /// Held by the first of the calls that need the missing lock.
    first: Option<SemaphorePermit<'a>>,
    /// The permission to wait with a connection.
    connection: Option<SemaphorePermit<'a>>,
}

impl Waits {
    /// Takes the number of connections in the pool, and how long each call may wait.
    pub(super) fn new(connections: usize, patience: Duration) -> Self {
        Self {
            slots: (0..SLOTS).map(|_| Semaphore::new(1)).collect(),
            connections: Semaphore::new((connections / 4).max(1)),
            patience,
        }
    }

    pub(crate) fn turn(&self) -> Turn<'_> {
        Turn {
            waits: self,
            until: Instant::now() + self.patience,
            pause: PAUSE,
            first: None,
            connection: None,
        }
    }
}

impl Turn<'_> {
    /// Returns the beginning of the transaction whose first statement is [`sql`](Self::sql).
    pub(crate) fn begin(&self) -> &'static str {
        match self.connection {
            Some(_) => BEGIN_WAITING,
            None => "BEGIN",
        }
    }

    /// Returns the statement that takes the locks of `lock_params`; the next statement does nothing
    /// if one is missing.
    pub(crate) fn sql(&self) -> &'static str {
        match self.connection {
            Some(_) => WAIT,
            None => TRY,
        }
    }

    /// Returns the result of an attempt, or `None` when another is due. Waiting in vain or losing
    /// to another transaction is no error.
    pub(crate) async fn after<T>(&mut self, tried: Tried<T>) -> Result<Option<T>> {
        let not_had = match tried {
            Ok(Ok(done)) => return Ok(Some(done)),
            Ok(Err(not_had)) => not_had,
            Err(failure) if failure.was_victim => None,
            Err(failure) if failure.was_locked && self.connection.is_some() => None,
            Err(failure) => return Err(failure),
        };
        match self.next(not_had).await {
            true => Ok(None),
            false => Err(Failure::unavailable(LOCKED)),
        }
    }

    /// Returns true when another attempt is due, or false when the patience has ended. `missing` is
    /// the missing lock: the calls that need it follow one after the other. The first waits with a
    /// connection if one is left for that; otherwise it retries.
    pub(crate) async fn next(&mut self, missing: Option<i32>) -> bool {
        self.connection = None;
        let pause = self.pause;
        self.pause = (pause * 2).min(LONGEST_PAUSE);
        let slot = missing.and_then(|slot| usize::try_from(slot).ok());
        let Some(slot) = slot.and_then(|slot| self.waits.slots.get(slot)) else {
            self.first = None;
            sleep(pause).await;
            return Instant::now() < self.until;
        };
        if self.first.is_none() {
            let first = timeout_at(self.until, slot.acquire()).await;
            self.first = first.ok().and_then(std::result::Result::ok);
        }
        let connection = timeout(pause, self.waits.connections.acquire()).await;
        self.connection = connection.ok().and_then(std::result::Result::ok);
        Instant::now() < self.until
    }
}

/// Returns the missing lock from the result of the statement that takes the locks.
pub(crate) fn missing(rows: &[Row]) -> Result<Option<i32>> {
    let row = rows.first().ok_or_else(Failure::nothing)?;
    Ok(row.try_get("missing")?)
}
