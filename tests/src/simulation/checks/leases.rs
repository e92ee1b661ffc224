//! Requests under way, compared with the leases that the store recorded.

use chrono::TimeDelta;

use super::{Judge, Promise};

/// Tokio's timers end in whole milliseconds.
const ROUNDED: TimeDelta = TimeDelta::milliseconds(100);

impl Judge<'_> {
    /// Checks that a request ends before another process may send the same. If a process dies or a
    /// clock is set, a delivery may have two claims at a time, and nobody can know to which of them
    /// a request belongs.
    pub(super) fn leases(&mut self) {
        if !self.evidence.calm {
            return;
        }
        for request in self.evidence.seen {
            let Some(over) = request.over else {
                continue;
            };
            let lease = self.evidence.leases.end(&request.id, request.at);
            if lease.is_none_or(|lease| over > lease + ROUNDED) {
                let what = format!(
                    "{} came at {} and was over at {over}, its lease: {lease:?}",
                    request.id, request.at,
                );
                self.breach(Promise::LeasesOutlastRequests, what);
            }
        }
    }
}
