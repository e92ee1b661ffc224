//! Connections that wait for their next request.
//!
//! An HTTP/1 connection is driven by the attempt that uses it, not by a task of its own: a
//! request costs no wake-up between tasks, and an attempt that is given up takes its connection
//! with it. An idle one is looked at when it is taken out, and swept when it has lain too long.

mod h1;
mod h2;
mod holders;
mod own_head;
mod shelf;
mod sweep;
mod under_way;

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, PoisonError, RwLock, Weak};
use std::time::Duration;

pub(crate) use h1::H1;
pub(crate) use h2::H2;
use holders::Holders;
pub(crate) use shelf::{Idle, Shelf};
use sweep::Left;
use tokio::time::Instant;

use crate::identity::Fingerprint;
use crate::request::{Origin, Trust};

/// How much may lie idle, and for how long.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PoolLimits {
    pub(crate) per_origin: usize,
    pub(crate) total: usize,
    pub(crate) idle_for: Duration,
}

/// All idle connections of a sender, by trust level.
#[derive(Debug)]
pub(crate) struct Pool {
    verified: Level,
    insecure: Level,
    pub(crate) limits: PoolLimits,
    idle: Arc<Holders<Weak<Shelf>>>,
    sweeping: AtomicBool,
}

/// The connections of one trust level: one shelf an origin, and one for each client identity that
/// is shown to it.
#[derive(Debug, Default)]
struct Level {
    anonymous: Shelves<Origin>,
    identified: Shelves<(Fingerprint, Origin)>,
}

type Shelves<K> = RwLock<HashMap<K, Arc<Shelf>>>;

impl Pool {
    pub(crate) fn new(limits: PoolLimits) -> Arc<Self> {
        Arc::new(Self {
            verified: Level::default(),
            insecure: Level::default(),
            limits,
            idle: Arc::new(Holders::new(limits.total)),
            sweeping: AtomicBool::new(false),
        })
    }

    /// The shelf of an origin at a trust level, for a client identity or for none; none of them
    /// ever share one.
    pub(crate) fn shelf(
        self: &Arc<Self>,
        trust: Trust,
        identity: Option<Fingerprint>,
        origin: &Origin,
    ) -> Arc<Shelf> {
        let level = match trust {
            Trust::AllowInsecure => &self.insecure,
            Trust::Verify => &self.verified,
        };
        match identity {
            None => self.shelf_of(&level.anonymous, origin),
            Some(identity) => self.shelf_of(&level.identified, &(identity, origin.clone())),
        }
    }

    fn shelf_of<K: Clone + Eq + Hash>(
        self: &Arc<Self>,
        shelves: &Shelves<K>,
        key: &K,
    ) -> Arc<Shelf> {
        let known = shelves
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(key)
            .cloned();
        known.unwrap_or_else(|| {
            let mut shelves = shelves.write().unwrap_or_else(PoisonError::into_inner);
            let shelf = shelves.entry(key.clone());
            // One that never gets a connection leaves, too.
            self.keep_swept();
            Arc::clone(shelf.or_insert_with(|| Arc::new(Shelf::new(Arc::clone(&self.idle)))))
        })
    }

    /// Puts a connection back that a request of this group has used, unless enough lie there
    /// already. Where all the room is taken, who holds most gives one up.
    pub(crate) fn put(
        self: &Arc<Self>,
        shelf: &Arc<Shelf>,
        group: Option<u128>,
        connection: Box<H1>,
    ) {
        if self.reuses() {
            shelf.put(group, connection, self.limits.per_origin);
        }
        self.keep_swept();
    }

    /// Offers an HTTP/2 connection to all attempts on its origin.
    pub(crate) fn share(self: &Arc<Self>, shelf: &Shelf, connection: &H2) {
        if self.reuses() {
            shelf.share(connection);
            self.keep_swept();
        }
    }

    fn reuses(&self) -> bool {
        !self.limits.idle_for.is_zero()
    }

    /// Makes sure that idle connections are looked after until there are none.
    fn keep_swept(self: &Arc<Self>) {
        if !self.sweeping.load(Relaxed) && !self.sweeping.swap(true, Relaxed) {
            let pool = Arc::downgrade(self);
            sweep::start(self.limits.idle_for, move || {
                pool.upgrade().map_or(Left::Nothing, |pool| pool.sweep())
            });
        }
    }

    /// Sweeps once.
    fn sweep(&self) -> Left {
        let now = Instant::now();
        let verified = self.verified.sweep(self.limits.idle_for, now);
        let insecure = self.insecure.sweep(self.limits.idle_for, now);
        if verified || insecure {
            return Left::Some;
        }
        self.sweeping.store(false, Relaxed);
        Left::Nothing
    }
}

impl Level {
    /// Returns whether anything is left.
    fn sweep(&self, idle_for: Duration, now: Instant) -> bool {
        let anonymous = sweep_shelves(&self.anonymous, idle_for, now);
        let identified = sweep_shelves(&self.identified, idle_for, now);
        anonymous || identified
    }
}

/// Returns whether anything is left.
fn sweep_shelves<K: Eq + Hash>(shelves: &Shelves<K>, idle_for: Duration, now: Instant) -> bool {
    let mut shelves = shelves.write().unwrap_or_else(PoisonError::into_inner);
    // A shelf that an attempt holds stays: its connection may be about to come back.
    shelves.retain(|_, shelf| shelf.sweep(idle_for, now) || Arc::strong_count(shelf) > 1);
    !shelves.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_origin_that_never_gets_a_connection_is_forgotten() {
        let idle_for = Duration::from_secs(60);
        let pool = Pool::new(PoolLimits {
            per_origin: 1,
            total: 1,
            idle_for,
        });
        for port in 1..=100 {
            let url = format!("http://a.test:{port}/").parse().unwrap();
            pool.shelf(Trust::Verify, None, &Origin::of(&url).unwrap());
        }
        tokio::time::sleep(idle_for).await;
        let left = pool.verified.anonymous.read().unwrap().len();
        assert_eq!(left, 0);
    }
}
