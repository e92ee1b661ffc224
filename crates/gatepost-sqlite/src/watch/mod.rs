//! A connection that only checks for changes, made by any process.

mod keys;
mod notifications;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gatepost_storage::keys::{KeyChanges, KeyGeneration, KeyShard};
use gatepost_storage::webhooks::Arrived;
use rusqlite::{Connection, Row};
use tokio::time::Instant;

use self::keys::Keys;
pub(crate) use self::notifications::{Own, Said, arrived, said, stirred};
use self::notifications::{SAID, row};
use crate::error::{Answer, Result, unavailable};
use crate::sql::{Sql as _, value};

/// The interval at which a wait for other processes checks.
const LOOK: Duration = Duration::from_millis(10);
/// The time after a notification in which a wait returns no other.
const QUIET: Duration = Duration::from_millis(250);

/// Counters that only rise. One that is being committed by this store may be seen with a lower
/// value for a moment.
trait News: Copy + PartialEq {
    fn most(self, before: Self) -> Self;
}

impl News for i64 {
    fn most(self, before: Self) -> Self {
        self.max(before)
    }
}

impl News for Said {
    fn most(self, before: Self) -> Self {
        Self {
            arrived: self.arrived.max(before.arrived),
            stirred: self.stirred.max(before.stirred),
        }
    }
}

/// The state of one waiter.
#[derive(Debug, Default)]
struct Seen<T> {
    version: Option<i64>,
    told: Option<T>,
    quiet_until: Option<Instant>,
}

pub(crate) struct Watch {
    /// Locked before the connection.
    keys: Mutex<Keys>,
    connection: Mutex<Option<Connection>>,
    own: Arc<Own>,
    work: Mutex<Seen<Said>>,
    outbox: Mutex<Seen<i64>>,
}

impl Watch {
    pub(crate) fn new(connection: Connection, own: Arc<Own>) -> Self {
        let watch = Self {
            keys: Mutex::new(Keys::new()),
            connection: Mutex::new(Some(connection)),
            own,
            work: Mutex::default(),
            outbox: Mutex::default(),
        };
        watch.look(&watch.work, Self::of_others);
        watch.look(&watch.outbox, Self::last_row);
        watch
    }

    /// Returns the present generation of this shard of the keys in the file; takes a few
    /// microseconds.
    pub(crate) fn key_generation(&self, shard: KeyShard) -> Option<KeyGeneration> {
        let mut keys = lock(&self.keys);
        self.read(|c| keys.follow(c)).ok()?;
        keys.generation(shard)
    }

    /// Returns the present changes in a shard, on the caller's thread: if keys are edited often,
    /// one request in a few waits for it. `forgotten` reads the changes that are not in memory.
    pub(crate) fn key_changes(
        &self,
        shard: KeyShard,
        since: KeyGeneration,
        forgotten: impl FnOnce(&Connection) -> Result<KeyChanges>,
    ) -> Answer<KeyChanges> {
        let mut keys = lock(&self.keys);
        self.read(|c| {
            keys.follow(c)?;
            match keys.changes(shard, since) {
                Some(changes) => Ok(changes),
                None => forgotten(c),
            }
        })
    }

    fn read<T>(&self, read: impl FnOnce(&Connection) -> Result<T>) -> Answer<T> {
        let connection = lock(&self.connection);
        let connection = connection.as_ref();
        Ok(read(
            connection.ok_or_else(|| unavailable("the store is closed"))?,
        )?)
    }

    /// Returns after another process has queued something, or made something claimable.
    pub(crate) async fn work(&self) -> Arrived {
        let (before, now) = self.changed(&self.work, Self::of_others).await;
        if before.stirred == now.stirred {
            Arrived::Due
        } else {
            Arrived::Anything
        }
    }

    /// Returns after any process has written to the outbox.
    pub(crate) async fn outbox(&self) {
        self.changed(&self.outbox, Self::last_row).await;
    }

    pub(crate) fn close(&self) {
        lock(&self.connection).take();
    }

    /// Waits until the counters are higher than at the last notification; returns the old and the
    /// new ones.
    async fn changed<T: News>(
        &self,
        seen: &Mutex<Seen<T>>,
        what: fn(&Self) -> Option<T>,
    ) -> (T, T) {
        loop {
            tokio::time::sleep(LOOK).await;
            if let Some(change) = self.look(seen, what) {
                return change;
            }
        }
    }

    fn look<T: News>(&self, seen: &Mutex<Seen<T>>, what: fn(&Self) -> Option<T>) -> Option<(T, T)> {
        let mut seen = lock(seen);
        let (now, version) = (Instant::now(), self.version());
        if version == seen.version || seen.quiet_until.is_some_and(|until| now < until) {
            return None;
        }
        seen.version = version;
        let current = what(self)?;
        let Some(before) = seen.told else {
            seen.told = Some(current);
            return None;
        };
        let current = current.most(before);
        if before == current {
            return None;
        }
        seen.told = Some(current);
        seen.quiet_until = Some(now + QUIET);
        Some((before, current))
    }

    /// Returns a version that changes with each commit of any other connection.
    fn version(&self) -> Option<i64> {
        self.ask("PRAGMA data_version", value)
    }

    fn of_others(&self) -> Option<Said> {
        let own = self.own.so_far();
        Some(self.ask(SAID, row)? - own)
    }

    fn last_row(&self) -> Option<i64> {
        let sql =
            "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'gatepost_occurrence'";
        self.ask(sql, value)
    }

    fn ask<T>(&self, sql: &str, read: impl FnOnce(&Row<'_>) -> Result<T>) -> Option<T> {
        let connection = lock(&self.connection);
        connection.as_ref()?.first(sql, [], read).ok().flatten()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
