//! The open connections: how many in all and of each network, and which ends when there are too
//! many.

mod table;
#[cfg(test)]
mod tests;

use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use self::table::{Doing, Table};
use super::callers::Caller;
use super::limits::ServeLimits;
use super::neighbours::Neighbours;

/// A network that is counted as one: an IPv4 address, or the /64 of IPv6 that one subscriber has.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(super) struct Network(IpAddr);

impl From<IpAddr> for Network {
    fn from(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(v6) => Ipv6Addr::from_bits(v6.to_bits() >> 64 << 64).into(),
            v4 @ IpAddr::V4(_) => v4,
        })
    }
}

/// All connections of a server.
#[derive(Clone, Debug)]
pub(super) struct Connections {
    table: Arc<Mutex<Table>>,
    limits: Arc<ServeLimits>,
}

/// The permit of one connection; returned when it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    id: u64,
    connections: Connections,
    leave: Arc<Notify>,
    /// The state that it shares with the other connections of its network.
    pub neighbours: Arc<Neighbours>,
}

impl Connections {
    pub(super) fn new(limits: Arc<ServeLimits>) -> Self {
        Self {
            table: Arc::default(),
            limits,
        }
    }

    /// Returns a permit for a new connection, which counts as idle until its first request. `None`
    /// if the limit is reached and all connections work: all in the process, or all of its network.
    pub(super) fn admit(&self, network: Network) -> Option<Place> {
        let mut table = self.lock();
        if table.of_network(network) >= self.limits.connections_per_network {
            table.make_room_in(network)?;
        } else if table.len() >= self.limits.connections {
            table.make_room()?;
        }
        let (id, leave, neighbours) = table.insert(network, &self.limits);
        Some(Place {
            id,
            connections: self.clone(),
            leave,
            neighbours,
        })
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Marks it as idle.
    pub(super) fn idle(&self) {
        self.connections.lock().set(self.id, Doing::Nothing);
    }

    /// Marks it as waiting for the rest of a request: it may end only for another of the same
    /// network.
    pub(super) fn receiving(&self) {
        self.connections.lock().set(self.id, Doing::Receiving);
    }

    /// Marks it as working: it ends for no other.
    pub(super) fn busy(&self) {
        self.connections.lock().set(self.id, Doing::Work);
    }

    /// Marks it as this caller's: in a full network, a connection of the caller with most of them
    /// ends.
    pub(super) fn is_of(&self, caller: Caller) {
        self.connections.lock().set_caller(self.id, caller);
    }

    /// Completes when it must end for another.
    pub(super) async fn must_leave(&self) {
        self.leave.notified().await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.connections.lock().remove(self.id);
    }
}
