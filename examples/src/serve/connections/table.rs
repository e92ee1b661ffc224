//! The table of all connections, and which of them ends for another.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use tokio::sync::Notify;

use super::Network;
use crate::serve::callers::Caller;
use crate::serve::limits::ServeLimits;
use crate::serve::neighbours::Neighbours;

#[derive(Debug, Default)]
pub(super) struct Table {
    /// The next number of a connection, or of the time at which one began to wait.
    next: u64,
    open: HashMap<u64, Entry>,
    /// Idle connections by the time since when they are idle; the first ends first.
    idle: BTreeMap<u64, u64>,
    networks: HashMap<Network, OfNetwork>,
}

/// The state of a connection.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Doing {
    Nothing,
    /// The rest of a request is still to come.
    Receiving,
    Work,
}

#[derive(Debug)]
struct Entry {
    network: Network,
    caller: Caller,
    doing: Doing,
    since: u64,
    leave: Arc<Notify>,
}

/// The connections of one network.
#[derive(Debug)]
struct OfNetwork {
    count: usize,
    /// The connections of each caller that do not work: since when, and which.
    waiting: BTreeMap<Caller, BTreeSet<(u64, u64)>>,
    shared: Arc<Neighbours>,
}

impl Table {
    pub(super) fn len(&self) -> usize {
        self.open.len()
    }

    pub(super) fn of_network(&self, network: Network) -> usize {
        self.networks.get(&network).map_or(0, |there| there.count)
    }

    /// Adds a new connection, which is idle.
    pub(super) fn insert(
        &mut self,
        network: Network,
        limits: &ServeLimits,
    ) -> (u64, Arc<Notify>, Arc<Neighbours>) {
        self.next += 1;
        let id = self.next;
        let leave = Arc::new(Notify::new());
        let there = self.networks.entry(network).or_insert_with(|| OfNetwork {
            count: 0,
            waiting: BTreeMap::new(),
            shared: Arc::new(Neighbours::new(limits)),
        });
        there.count += 1;
        let shared = there.shared.clone();
        let entry = Entry {
            network,
            caller: Caller::Unknown,
            doing: Doing::Work,
            since: 0,
            leave: leave.clone(),
        };
        self.open.insert(id, entry);
        self.set(id, Doing::Nothing);
        (id, leave, shared)
    }

    pub(super) fn set(&mut self, id: u64, doing: Doing) {
        if self.open.get(&id).is_some_and(|entry| entry.doing != doing) {
            self.take_out(id);
            self.next += 1;
            let since = self.next;
            if let Some(entry) = self.open.get_mut(&id) {
                (entry.doing, entry.since) = (doing, since);
            }
            self.put_in(id);
        }
    }

    pub(super) fn set_caller(&mut self, id: u64, caller: Caller) {
        if self
            .open
            .get(&id)
            .is_some_and(|entry| entry.caller != caller)
        {
            self.take_out(id);
            if let Some(entry) = self.open.get_mut(&id) {
                entry.caller = caller;
            }
            self.put_in(id);
        }
    }

    /// Ends the connection that has been idle for longest; `None` if all work.
    pub(super) fn make_room(&mut self) -> Option<()> {
        let longest = self.idle.values().next().copied()?;
        self.evict(longest)
    }

    /// Ends a connection of this network: of the caller with most that do not work, the one that
    /// has waited for longest. `None` if all work.
    pub(super) fn make_room_in(&mut self, network: Network) -> Option<()> {
        let waiting = self.networks.get(&network)?.waiting.values();
        let most = waiting.max_by_key(|those| (those.len(), Reverse(those.first())))?;
        let (_, longest) = most.first().copied()?;
        self.evict(longest)
    }

    fn evict(&mut self, id: u64) -> Option<()> {
        self.open.get(&id)?.leave.notify_one();
        self.remove(id);
        Some(())
    }

    pub(super) fn remove(&mut self, id: u64) {
        self.take_out(id);
        let Some(entry) = self.open.remove(&id) else {
            return;
        };
        if let Some(there) = self.networks.get_mut(&entry.network) {
            there.count -= 1;
            if there.count == 0 {
                self.networks.remove(&entry.network);
            }
        }
    }

    /// Lists it among those that may end for another, if it does not work.
    fn put_in(&mut self, id: u64) {
        let Some(entry) = self
            .open
            .get(&id)
            .filter(|entry| entry.doing != Doing::Work)
        else {
            return;
        };
        if entry.doing == Doing::Nothing {
            self.idle.insert(entry.since, id);
        }
        if let Some(there) = self.networks.get_mut(&entry.network) {
            let waiting = there.waiting.entry(entry.caller).or_default();
            waiting.insert((entry.since, id));
        }
    }

    fn take_out(&mut self, id: u64) {
        let Some(entry) = self.open.get(&id) else {
            return;
        };
        self.idle.remove(&entry.since);
        if let Some(there) = self.networks.get_mut(&entry.network)
            && let Some(waiting) = there.waiting.get_mut(&entry.caller)
        {
            waiting.remove(&(entry.since, id));
            if waiting.is_empty() {
                there.waiting.remove(&entry.caller);
            }
        }
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty() && self.idle.is_empty() && self.networks.is_empty()
    }
}
