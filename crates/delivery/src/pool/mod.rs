//! The pool of idle connections.
//!
//! An HTTP/1 connection is driven by the attempt that uses it, not by a separate task: a request
//! needs no wake-up between tasks, and an attempt that is dropped closes its connection. An idle
//! connection is checked when it is taken out, and closed when it has been idle too long.

mod connection_group;
mod h1;
mod h2;
mod idle_data_limit;
mod idle_limit;
mod request_head;
mod sweep;

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, PoisonError, RwLock, Weak};
use std::time::Duration;

pub(crate) use connection_group::{Idle, Shelf};
pub(crate) use h1::H1;
pub(crate) use h2::H2;
use idle_limit::IdleLimit;
use sweep::Left;
use tokio::time::Instant;

use crate::identity::Fingerprint;
use crate::request::{Origin, Request, Trust};

/// The limits for the number and the age of idle connections.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PoolLimits {
    pub(crate) per_origin: usize,
    pub(crate) total: usize,
    pub(crate) idle_for: Duration,
}

/// All idle connections of a sender, on one shelf for all requests that may share them.
#[derive(Debug)]
pub(crate) struct Pool {
    shelves: RwLock<HashMap<Key, Arc<Shelf>>>,
    pub(crate) limits: PoolLimits,
    idle: Arc<IdleLimit<Weak<Shelf>>>,
    sweeping: AtomicBool,
}

/// The properties that requests must share to share connections and TLS sessions.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
struct Key {
    group: Option<u128>,
    trust: Trust,
    identity: Option<Fingerprint>,
    origin: Origin,
}

impl Key {
    fn of(request: &Request) -> Self {
        let fixed = &request.fixed;
        Self {
            group: request.group,
            trust: fixed.trust,
            identity: fixed.identity.as_ref().map(|one| one.fingerprint()),
            origin: fixed.origin.clone(),
        }
    }
}

impl Pool {
    pub(crate) fn new(limits: PoolLimits) -> Arc<Self> {
        Arc::new(Self {
            shelves: RwLock::default(),
            limits,
            idle: Arc::new(IdleLimit::new(limits.total)),
            sweeping: AtomicBool::new(false),
        })
    }

    /// Returns the shelf for a request's group, trust level, client identity and origin.
    pub(crate) fn shelf(self: &Arc<Self>, request: &Request) -> Arc<Shelf> {
        let key = Key::of(request);
        let shelves = self.shelves.read().unwrap_or_else(PoisonError::into_inner);
        let known = shelves.get(&key).cloned();
        drop(shelves);
        known.unwrap_or_else(|| {
            let mut shelves = self.shelves.write().unwrap_or_else(PoisonError::into_inner);
            let shelf = shelves.entry(key);
            // A shelf that never gets a connection is removed, too.
            self.keep_swept();
            let new = || Arc::new(Shelf::new(request.group, Arc::clone(&self.idle)));
            Arc::clone(shelf.or_insert_with(new))
        })
    }

    /// Returns a connection to the pool, unless the limit is reached.
    pub(crate) fn put(self: &Arc<Self>, shelf: &Arc<Shelf>, connection: Box<H1>) {
        if self.reuses() {
            shelf.put(connection, self.limits.per_origin);
        }
        self.keep_swept();
    }

    /// Offers an HTTP/2 connection to all attempts of its shelf.
    pub(crate) fn share(self: &Arc<Self>, shelf: &Arc<Shelf>, connection: &H2, now: Instant) {
        if self.reuses() {
            shelf.share(connection, now);
            self.keep_swept();
        }
    }

    fn reuses(&self) -> bool {
        !self.limits.idle_for.is_zero()
    }

    /// Makes sure that idle connections are swept until there are none.
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
        let (idle_for, now) = (self.limits.idle_for, Instant::now());
        let mut shelves = self.shelves.write().unwrap_or_else(PoisonError::into_inner);
        // A shelf that an attempt holds stays: its connection may be about to come back.
        shelves.retain(|_, shelf| shelf.sweep(idle_for, now) || Arc::strong_count(shelf) > 1);
        if !shelves.is_empty() {
            return Left::Some;
        }
        self.sweeping.store(false, Relaxed);
        Left::Nothing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn origin_that_never_connects_is_removed_from_pool() {
        let idle_for = Duration::from_secs(60);
        let pool = Pool::new(PoolLimits {
            per_origin: 1,
            total: 1,
            idle_for,
        });
        for port in 1..=100 {
            let url = format!("http://a.test:{port}/").parse().unwrap();
            pool.shelf(&Request::builder(url).build().unwrap());
        }
        tokio::time::sleep(idle_for).await;
        let left = pool.shelves.read().unwrap().len();
        assert_eq!(left, 0);
    }
}
