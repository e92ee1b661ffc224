//! Rows of the outbox that wait for the platform's answer, each independent of the others.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gatepost_ids::Audience;

/// Rows that may wait for the platform's answer in this process, of one audience and of all: an
/// audience whose answer is late leaves capacity for the others.
const OF_ONE: usize = 16;
const OF_ALL: usize = 128;

/// Rows that wait for the platform's answer, by audience.
#[derive(Debug, Default)]
pub(super) struct WaitingRows(Mutex<HashMap<Audience, usize>>);

/// One of the waiting rows, until it is dropped.
#[derive(Debug)]
pub(super) struct WaitingRow(Arc<WaitingRows>, Audience);

impl WaitingRows {
    /// Adds a row. `None`: the limit is reached.
    pub(super) fn take(self: &Arc<Self>, audience: Audience) -> Option<WaitingRow> {
        let mut rows = self.lock();
        let all: usize = rows.values().sum();
        let of_one = rows.get(&audience).copied().unwrap_or_default();
        let has_room = all < OF_ALL && of_one < OF_ONE;
        has_room.then(|| {
            rows.insert(audience, of_one + 1);
            WaitingRow(self.clone(), audience)
        })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Audience, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(super) fn count(&self, audience: Audience) -> (usize, usize) {
        let rows = self.lock();
        let of_one = rows.get(&audience).copied().unwrap_or_default();
        (of_one, rows.values().sum())
    }
}

impl Drop for WaitingRow {
    fn drop(&mut self) {
        let Self(rows, audience) = self;
        let mut rows = rows.lock();
        if let Some(count) = rows.get_mut(audience) {
            *count -= 1;
            if *count == 0 {
                rows.remove(audience);
            }
        }
    }
}
