//! The idle connections to one origin.

use std::net::SocketAddr;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use rustls::client::ClientConfig;
use tokio::time::Instant;

use super::h1::H1;
use super::h2::H2;
use super::holders::{Holder, Holders};

/// What a shelf has to offer.
pub(crate) enum Idle {
    H1(Box<H1>),
    H2(H2),
}

impl Idle {
    /// The judged address that it leads to.
    pub(crate) fn peer(&self) -> SocketAddr {
        match self {
            Self::H1(connection) => connection.peer,
            Self::H2(connection) => connection.peer,
        }
    }
}

/// HTTP/1 connections, the latest used on top, and the one HTTP/2 connection that all share.
#[derive(Debug)]
pub(crate) struct Shelf {
    stock: Mutex<Stock>,
    /// All idle HTTP/1 connections of the sender.
    idle: Arc<Holders<Weak<Self>>>,
    /// Whether the origin has spoken HTTP/2 before.
    h2: AtomicBool,
    /// How connections are secured that show a client identity. With the session tickets in it, it
    /// is known on this shelf alone, and is dropped with it.
    tls: OnceLock<Arc<ClientConfig>>,
    /// Whose turn it is to open an HTTP/2 connection.
    pub(crate) opening: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct Stock {
    h1: Vec<Lying>,
    h2: Option<H2>,
}

/// An idle HTTP/1 connection, and how it is known among all. The numbers on a shelf rise.
#[derive(Debug)]
struct Lying {
    holder: Holder,
    number: u64,
    /// Boxed: large, and moved in and out for each request.
    connection: Box<H1>,
}

impl Stock {
    fn take_h2(&mut self, now: Instant) -> Option<H2> {
        let h2 = self.h2.as_mut()?;
        if h2.is_open() {
            h2.used = now;
            return Some(h2.clone());
        }
        self.h2 = None;
        None
    }
}

impl Shelf {
    pub(super) fn new(idle: Arc<Holders<Weak<Self>>>) -> Self {
        Self {
            stock: Mutex::default(),
            idle,
            h2: AtomicBool::new(false),
            tls: OnceLock::new(),
            opening: tokio::sync::Mutex::default(),
        }
    }

    /// A connection that was alive when last seen.
    pub(crate) fn take(&self, idle_for: Duration, now: Instant) -> Option<Idle> {
        let mut stock = self.stock();
        if let Some(h2) = stock.take_h2(now) {
            return Some(Idle::H2(h2));
        }
        loop {
            let lying = stock.h1.pop()?;
            self.idle.remove(lying.holder, lying.number);
            let mut connection = lying.connection;
            // The latest used lies on top: when it is too old, so are all below.
            if now.duration_since(connection.used) <= idle_for && connection.is_alive() {
                return Some(Idle::H1(connection));
            }
        }
    }

    /// The shared HTTP/2 connection, if it is open.
    pub(crate) fn take_h2(&self, now: Instant) -> Option<H2> {
        self.stock().take_h2(now)
    }

    /// How connections of this shelf's client identity are secured; made when the first is opened.
    pub(crate) fn identified<E>(
        &self,
        make: impl FnOnce() -> Result<Arc<ClientConfig>, E>,
    ) -> Result<Arc<ClientConfig>, E> {
        if let Some(config) = self.tls.get() {
            return Ok(Arc::clone(config));
        }
        let made = make()?;
        Ok(Arc::clone(self.tls.get_or_init(|| made)))
    }

    /// Whether one connection is likely to serve all attempts.
    pub(crate) fn speaks_h2(&self) -> bool {
        self.h2.load(Relaxed)
    }

    /// Puts a connection here that a request of this group has used, unless as many as may lie
    /// here. Where too many lie on all shelves then, one of them is closed.
    pub(super) fn put(self: &Arc<Self>, group: Option<u128>, connection: Box<H1>, most: usize) {
        let mut stock = self.stock();
        if stock.h1.len() >= most {
            return;
        }
        let own = || Holder::Shelf(Arc::as_ptr(self).addr());
        let holder = group.map_or_else(own, Holder::Group);
        // Under the lock, so that numbers rise; what goes may lie here or on another shelf.
        let (number, goes) = self.idle.add(holder, Arc::downgrade(self), connection.used);
        stock.h1.push(Lying {
            holder,
            number,
            connection,
        });
        drop(stock);
        if let Some((shelf, number)) = goes
            && let Some(shelf) = shelf.upgrade()
        {
            shelf.close(number);
        }
    }

    /// Closes the HTTP/1 connection of this number, unless somebody has just taken it.
    fn close(&self, number: u64) {
        let mut stock = self.stock();
        let at = stock.h1.binary_search_by_key(&number, |lying| lying.number);
        let closed = at.ok().map(|at| stock.h1.remove(at));
        drop(stock);
        drop(closed);
    }

    /// Offers an HTTP/2 connection to all. The first one stays while it is open.
    pub(super) fn share(&self, connection: &H2) {
        self.h2.store(true, Relaxed);
        let mut stock = self.stock();
        if !stock.h2.as_ref().is_some_and(H2::is_open) {
            stock.h2 = Some(connection.clone());
        }
    }

    /// Drops what is dead or has lain too long; says whether anything is left.
    pub(super) fn sweep(&self, idle_for: Duration, now: Instant) -> bool {
        let mut stock = self.stock();
        stock.h1.retain_mut(|lying| {
            let connection = &mut lying.connection;
            let stays = now.duration_since(connection.used) <= idle_for && connection.is_alive();
            if !stays {
                self.idle.remove(lying.holder, lying.number);
            }
            stays
        });
        if stock
            .h2
            .as_ref()
            .is_some_and(|c| !c.is_open() || now.duration_since(c.used) > idle_for)
        {
            stock.h2 = None;
        }
        !stock.h1.is_empty() || stock.h2.is_some()
    }

    fn stock(&self) -> MutexGuard<'_, Stock> {
        self.stock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
