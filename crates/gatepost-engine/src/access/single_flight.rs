//! Questions under way: one at a time for a key, however many callers wait for the answer.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::{CancellationToken, DropGuard};

/// Questions that are under way or wait for their turn.
const MOST: usize = 65_536;

/// Cheap to clone; clones share their state.
#[derive(Clone, Debug)]
pub(super) struct SingleFlight<K: Copy + Eq + Hash>(Arc<Mutex<HashMap<K, CancellationToken>>>);

impl<K: Copy + Eq + Hash> SingleFlight<K> {
    pub(super) fn none() -> Self {
        Self(Arc::default())
    }

    /// Begins a question. `None`: one for the key is under way, or the limit is reached.
    pub(super) fn begin(&self, key: K) -> Option<Flight<K>> {
        let mut under_way = self.lock();
        if under_way.contains_key(&key) || under_way.len() >= MOST {
            return None;
        }
        let ended = CancellationToken::new();
        under_way.insert(key, ended.clone());
        Some(Flight {
            flights: self.clone(),
            key,
            _ends: ended.drop_guard(),
        })
    }

    /// Returns the end of a question for the key that is under way.
    pub(super) fn landing(&self, key: K) -> Option<FlightEnd> {
        self.lock().get(&key).cloned().map(FlightEnd)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<K, CancellationToken>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A question under way; it ends when this is dropped.
#[derive(Debug)]
pub(super) struct Flight<K: Copy + Eq + Hash> {
    flights: SingleFlight<K>,
    key: K,
    _ends: DropGuard,
}

impl<K: Copy + Eq + Hash> Drop for Flight<K> {
    fn drop(&mut self) {
        self.flights.lock().remove(&self.key);
    }
}

/// The end of a question that another caller asked.
#[derive(Debug)]
pub(super) struct FlightEnd(CancellationToken);

impl FlightEnd {
    /// Waits for the end. Waiting callers are woken in the order of their arrival.
    pub(super) async fn landed(self) {
        self.0.cancelled().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn one_flight_per_key_and_all_waiters_wake() {
        let flights = SingleFlight::none();
        let flight = flights.begin(1).unwrap();
        assert!(flights.begin(1).is_none());
        assert!(flights.begin(2).is_some(), "another key");
        assert!(flights.landing(2).is_none(), "it has ended");
        let (first, second) = (flights.landing(1).unwrap(), flights.landing(1).unwrap());
        drop(flight);
        first.landed().await;
        second.landed().await;
        assert!(flights.begin(1).is_some());
    }
}
