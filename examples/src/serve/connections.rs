//! The open connections: how many in all and of each network, and which ends when there are too
//! many.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::connection::{Connection, Waiting};
use super::limits::ServeLimits;

/// How long a connection is kept for the next request after a response, even if there are too many
/// of its network.
const KEPT: Duration = Duration::from_secs(5);

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
#[derive(Clone, Debug, Default)]
pub(super) struct Connections(Arc<Mutex<Table>>);

#[derive(Debug, Default)]
struct Table {
    open: usize,
    networks: HashMap<Network, Vec<Arc<Connection>>>,
}

/// The permit of one connection; returned when it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    connections: Connections,
    network: Network,
    pub connection: Arc<Connection>,
}

impl Connections {
    /// Returns a permit for a new connection. If there are too many in all, or of its network, one
    /// of those ends that wait; `None` if there is none, or those of its network were served within
    /// five seconds.
    pub(super) fn admit(&self, network: Network, limits: &ServeLimits) -> Option<Place> {
        let mut table = self.lock();
        let own = table.networks.get(&network).map_or(0, Vec::len);
        let crowded = own >= limits.connections_per_network;
        if crowded || table.open >= limits.connections {
            let networks = table.networks.iter();
            let open = networks.filter(|(name, _)| !crowded || **name == network);
            let open = open.flat_map(|(name, open)| open.iter().map(|one| (*name, one)));
            let waiting = open.filter_map(|(name, one)| Some((one.waits()?, name, one)));
            let ((state, since), name, longest) = waiting.min_by_key(|(rank, ..)| *rank)?;
            if crowded && state == Waiting::Served && since.elapsed() < KEPT {
                return None;
            }
            let longest = longest.clone();
            longest.leave();
            table.remove(name, &longest);
        }
        let connection = Arc::new(Connection::new());
        table.open += 1;
        let own = table.networks.entry(network).or_default();
        own.push(connection.clone());
        Some(Place {
            connections: self.clone(),
            network,
            connection,
        })
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    /// Removes a connection, unless it was removed before.
    fn remove(&mut self, network: Network, connection: &Arc<Connection>) {
        let Some(own) = self.networks.get_mut(&network) else {
            return;
        };
        if let Some(at) = own.iter().position(|one| Arc::ptr_eq(one, connection)) {
            own.swap_remove(at);
            self.open -= 1;
        }
        if own.is_empty() {
            self.networks.remove(&network);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut table = self.connections.lock();
        table.remove(self.network, &self.connection);
    }
}
