//! The connections that there are: how many in all and of each network, and which makes room.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, Semaphore};

use super::limits::ServeLimits;

/// Who is counted together: an IPv4 address, or the /64 of IPv6 that one subscriber has.
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

#[derive(Debug, Default)]
struct Table {
    /// Numbers connections, and the turns in which they became idle.
    next: u64,
    open: HashMap<u64, Entry>,
    /// Which connection became idle in which turn, the first to make room first.
    idle: BTreeMap<u64, u64>,
    networks: HashMap<Network, Neighbours>,
}

#[derive(Debug)]
struct Entry {
    network: Network,
    idle_since: Option<u64>,
    leave: Arc<Notify>,
}

/// The connections of one network.
#[derive(Debug)]
struct Neighbours {
    count: usize,
    idle: BTreeSet<u64>,
    turns: Arc<Semaphore>,
}

/// The place of one connection; given back when it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    id: u64,
    connections: Connections,
    leave: Arc<Notify>,
    /// A request takes one while it is worked on.
    pub turns: Arc<Semaphore>,
}

impl Connections {
    pub(super) fn new(limits: Arc<ServeLimits>) -> Self {
        Self {
            table: Arc::default(),
            limits,
        }
    }

    /// A place for a new connection, which counts as idle until its first request. None if those
    /// that there are work, or if its network has as many as one may have and all of them work.
    pub(super) fn admit(&self, network: Network) -> Option<Place> {
        let mut table = self.lock();
        let of_network = table.networks.get(&network);
        if of_network.is_some_and(|there| there.count >= self.limits.connections_per_network) {
            let oldest = of_network.and_then(|there| there.idle.first().copied())?;
            table.evict(oldest);
        } else if table.open.len() >= self.limits.connections {
            let oldest = table.idle.keys().next().copied()?;
            table.evict(oldest);
        }
        let (id, leave, turns) = table.insert(network, self.limits.requests_per_network);
        Some(Place {
            id,
            connections: self.clone(),
            leave,
            turns,
        })
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// It has nothing to do.
    pub(super) fn idle(&self) {
        self.connections.lock().set_idle(self.id, true);
    }

    /// It works, and makes room for nobody.
    pub(super) fn busy(&self) {
        self.connections.lock().set_idle(self.id, false);
    }

    /// Ready when it must make room.
    pub(super) async fn must_leave(&self) {
        self.leave.notified().await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.connections.lock().remove(self.id);
    }
}

impl Table {
    fn insert(&mut self, network: Network, turns: usize) -> (u64, Arc<Notify>, Arc<Semaphore>) {
        self.next += 1;
        let id = self.next;
        let leave = Arc::new(Notify::new());
        let there = self.networks.entry(network).or_insert_with(|| Neighbours {
            count: 0,
            idle: BTreeSet::new(),
            turns: Arc::new(Semaphore::new(turns)),
        });
        there.count += 1;
        let turns = there.turns.clone();
        let entry = Entry {
            network,
            idle_since: None,
            leave: leave.clone(),
        };
        self.open.insert(id, entry);
        self.set_idle(id, true);
        (id, leave, turns)
    }

    fn set_idle(&mut self, id: u64, idle: bool) {
        let Some(entry) = self.open.get_mut(&id) else {
            return;
        };
        let Some(there) = self.networks.get_mut(&entry.network) else {
            return;
        };
        match entry.idle_since.take() {
            Some(turn) if !idle => {
                self.idle.remove(&turn);
                there.idle.remove(&turn);
            }
            None if idle => {
                self.next += 1;
                entry.idle_since = Some(self.next);
                self.idle.insert(self.next, id);
                there.idle.insert(self.next);
            }
            as_it_is => entry.idle_since = as_it_is,
        }
    }

    fn evict(&mut self, turn: u64) {
        if let Some(id) = self.idle.get(&turn).copied()
            && let Some(entry) = self.remove(id)
        {
            entry.leave.notify_one();
        }
    }

    fn remove(&mut self, id: u64) -> Option<Entry> {
        self.set_idle(id, false);
        let entry = self.open.remove(&id)?;
        if let Some(there) = self.networks.get_mut(&entry.network) {
            there.count -= 1;
            if there.count == 0 {
                self.networks.remove(&entry.network);
            }
        }
        Some(entry)
    }
}

#[cfg(test)]
mod tests;
