//! The connections of one group of requests to one origin.

use std::net::SocketAddr;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use rustls::client::ClientConfig;
use tokio::time::Instant;

use super::h1::H1;
use super::h2::H2;
use super::idle_limit::{Holder, IdleLimit, Kept};

/// A connection that a shelf offers.
pub(crate) enum Idle {
    H1(Box<H1>),
    H2(H2),
}

impl Idle {
    /// Returns the checked address of the peer.
    pub(crate) fn peer(&self) -> SocketAddr {
        match self {
            Self::H1(connection) => connection.peer,
            Self::H2(connection) => connection.peer,
        }
    }
}

/// HTTP/1 connections, the most recently used last, and the HTTP/2 connection that all share.
#[derive(Debug)]
pub(crate) struct Shelf {
    group: Option<u128>,
    stock: Mutex<Stock>,
    /// All kept connections of the sender.
    idle: Arc<IdleLimit<Weak<Self>>>,
    /// Whether the origin has spoken HTTP/2 before.
    h2: AtomicBool,
    /// The TLS configuration. It contains the session tickets, is used on this shelf only, and is
    /// dropped with it.
    tls: OnceLock<Arc<ClientConfig>>,
    /// Serializes the opening of HTTP/2 connections.
    pub(crate) opening: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct Stock {
    h1: Vec<Lying>,
    h2: Option<Shared>,
}

/// An idle HTTP/1 connection, and its number in the limit. The numbers on a shelf rise.
#[derive(Debug)]
struct Lying {
    number: u64,
    /// Boxed: large, and moved in and out for each request.
    connection: Box<H1>,
}

/// An open HTTP/2 connection, and its number in the limit; without one if it exceeds the limit, in
/// which case it is closed once no request is in progress.
#[derive(Debug)]
struct Shared {
    number: Option<u64>,
    connection: H2,
}

impl Shelf {
    pub(super) fn new(group: Option<u128>, idle: Arc<IdleLimit<Weak<Self>>>) -> Self {
        Self {
            group,
            stock: Mutex::default(),
            idle,
            h2: AtomicBool::new(false),
            tls: OnceLock::new(),
            opening: tokio::sync::Mutex::default(),
        }
    }

    /// Returns a connection that was alive when it was last checked.
    pub(crate) fn take(self: &Arc<Self>, idle_for: Duration, now: Instant) -> Option<Idle> {
        let mut stock = self.stock();
        if let Some(h2) = self.shared(&mut stock, now) {
            return Some(Idle::H2(h2));
        }
        loop {
            let lying = stock.h1.pop()?;
            self.idle.remove(self.holder(), lying.number);
            let mut connection = lying.connection;
            // The most recently used comes last: if it is too old, so are all others.
            if now.duration_since(connection.used) <= idle_for && connection.is_alive() {
                return Some(Idle::H1(connection));
            }
        }
    }

    /// Returns the shared HTTP/2 connection, if it is open.
    pub(crate) fn take_h2(self: &Arc<Self>, now: Instant) -> Option<H2> {
        self.shared(&mut self.stock(), now)
    }

    /// Returns the TLS configuration of this shelf, which is made when the first connection is
    /// opened.
    pub(crate) fn tls<E>(
        &self,
        make: impl FnOnce() -> Result<Arc<ClientConfig>, E>,
    ) -> Result<Arc<ClientConfig>, E> {
        if let Some(config) = self.tls.get() {
            return Ok(Arc::clone(config));
        }
        let made = make()?;
        Ok(Arc::clone(self.tls.get_or_init(|| made)))
    }

    /// Returns whether one connection is likely to serve all attempts.
    pub(crate) fn speaks_h2(&self) -> bool {
        self.h2.load(Relaxed)
    }

    /// Adds a connection, unless the limit of this shelf or of all shelves is reached. In the
    /// latter case, a connection of another group may be closed for it.
    pub(super) fn put(self: &Arc<Self>, connection: Box<H1>, most: usize) {
        let mut stock = self.stock();
        if stock.h1.len() >= most {
            return;
        }
        // Under the lock, so that numbers rise.
        if let Some(Kept { number, instead_of }) = self.keep() {
            stock.h1.push(Lying { number, connection });
            drop(stock);
            close(instead_of);
        }
    }

    /// Offers an HTTP/2 connection to all. The first one stays while it is open.
    pub(super) fn share(self: &Arc<Self>, connection: &H2, now: Instant) {
        self.h2.store(true, Relaxed);
        let mut stock = self.stock();
        if self.shared(&mut stock, now).is_some() {
            return;
        }
        let kept = self.keep();
        stock.h2 = Some(Shared {
            number: kept.as_ref().map(|kept| kept.number),
            connection: connection.clone(),
        });
        drop(stock);
        close(kept.and_then(|kept| kept.instead_of));
    }

    /// Removes this HTTP/2 connection, on which the peer accepts no further requests.
    pub(crate) fn forget(self: &Arc<Self>, connection: &H2) {
        let mut stock = self.stock();
        self.leave_if(&mut stock, |shared| shared.connection.is(connection));
    }

    /// A request over HTTP/2 has ended.
    pub(crate) fn end_request(self: &Arc<Self>) {
        let mut stock = self.stock();
        self.leave_if(&mut stock, Shared::is_left_over);
    }

    /// Closes dead and old connections. Returns whether any is left.
    pub(super) fn sweep(self: &Arc<Self>, idle_for: Duration, now: Instant) -> bool {
        let mut stock = self.stock();
        stock.h1.retain_mut(|lying| {
            let connection = &mut lying.connection;
            let stays = now.duration_since(connection.used) <= idle_for && connection.is_alive();
            if !stays {
                self.idle.remove(self.holder(), lying.number);
            }
            stays
        });
        self.leave_if(&mut stock, |shared| {
            let connection = &shared.connection;
            let is_old = now.duration_since(connection.used) > idle_for;
            is_old || !connection.is_open() || shared.is_left_over()
        });
        !stock.h1.is_empty() || stock.h2.is_some()
    }

    fn shared(self: &Arc<Self>, stock: &mut Stock, now: Instant) -> Option<H2> {
        self.leave_if(stock, |shared| !shared.connection.is_open());
        let shared = stock.h2.as_mut()?;
        shared.connection.used = now;
        Some(shared.connection.clone())
    }

    /// Removes the HTTP/2 connection on that condition.
    fn leave_if(self: &Arc<Self>, stock: &mut Stock, leaves: impl FnOnce(&Shared) -> bool) {
        let left = stock.h2.take_if(|shared| leaves(shared));
        if let Some(number) = left.and_then(|shared| shared.number) {
            self.idle.remove(self.holder(), number);
        }
    }

    fn keep(self: &Arc<Self>) -> Option<Kept<Weak<Self>>> {
        self.idle.add(self.holder(), Arc::downgrade(self))
    }

    fn holder(self: &Arc<Self>) -> Holder {
        let own = || Holder::Shelf(Arc::as_ptr(self).addr());
        self.group.map_or_else(own, Holder::Group)
    }

    fn stock(&self) -> MutexGuard<'_, Stock> {
        self.stock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shared {
    fn is_left_over(&self) -> bool {
        self.number.is_none() && !self.connection.is_under_way()
    }
}

/// Closes the connection with this number, unless it was just taken. Requests in progress on an
/// HTTP/2 connection complete first.
fn close(one: Option<(Weak<Shelf>, u64)>) {
    let Some((shelf, number)) = one else {
        return;
    };
    let Some(shelf) = shelf.upgrade() else {
        return;
    };
    let mut stock = shelf.stock();
    let at = stock.h1.binary_search_by_key(&number, |lying| lying.number);
    let h1 = at.ok().map(|at| stock.h1.remove(at));
    let h2 = stock.h2.take_if(|shared| shared.number == Some(number));
    drop(stock);
    drop((h1, h2));
}
