//! Whoever needs what others hold of a place waits here, and not on the pool's connections.

use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tokio_postgres::Row;

use crate::error::{Failure, Result};

const TRY: &str = concat!(
    include_str!("../sql/place/needed.sql"),
    include_str!("../sql/place/try_all.sql"),
);
const WAIT: &str = concat!(
    include_str!("../sql/place/needed.sql"),
    include_str!("../sql/place/wait.sql"),
);
/// How many locks there are; `gatepost_slot` numbers them.
const SLOTS: usize = 322;
/// One that waits for a lock gives its connection back after this long and tries again later, so
/// that a place that stays locked does not use up the pool.
pub(crate) const BEGIN_WAITING: &str = "BEGIN; SET LOCAL lock_timeout = '250ms'";
/// The pause between two tries.
const PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// Said of a place that others hold for longer than is waited for it.
pub(crate) const LOCKED: &str = "the place stayed locked";

/// What a try with locks came to; without one of them nothing was done, and that is said.
pub(crate) type Tried<T> = Result<std::result::Result<T, Option<i32>>>;

/// What waits in this process: one for each lock, and all together with a quarter of the pool's
/// connections.
#[derive(Debug)]
pub(crate) struct Waits {
    slots: Vec<Semaphore>,
    connections: Semaphore,
    patience: Duration,
}

/// One that needs locks. It tries them at first, waits for nobody, and says what was missing.
pub(crate) struct Turn<'a> {
    waits: &'a Waits,
    until: Instant,
    pause: Duration,
    /// It is the first of those who need the lock that it missed.
    first: Option<SemaphorePermit<'a>>,
    /// It may wait with a connection.
    connection: Option<SemaphorePermit<'a>>,
}

impl Waits {
    /// With this many connections in the pool, and this long for each who waits.
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
    /// How the transaction begins, whose first statement is [`sql`](Self::sql).
    pub(crate) fn begin(&self) -> &'static str {
        match self.connection {
            Some(_) => BEGIN_WAITING,
            None => "BEGIN",
        }
    }

    /// Takes the locks of `lock_params`; the next statement does nothing where they are not had.
    pub(crate) fn sql(&self) -> &'static str {
        match self.connection {
            Some(_) => WAIT,
            None => TRY,
        }
    }

    /// What a try came to; `None` when it is time for another. It is no error that it waited in
    /// vain, or lost to another.
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

    /// Returns when it is time for another try, or false when the patience is at its end. `missing`
    /// is the lock that was not had: those who need it come one after the other, the first with a
    /// connection if one is left for that, or else by another try.
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

/// What the statement says that takes the locks.
pub(crate) fn missing(rows: &[Row]) -> Result<Option<i32>> {
    let row = rows.first().ok_or_else(Failure::nothing)?;
    Ok(row.try_get("missing")?)
}
