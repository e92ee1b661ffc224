//! The work of the leading process: each chore when it is due.

use std::collections::BTreeMap;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

use gatepost_storage::webhooks::LogHeadroom;
use tokio::time::{Instant, sleep_until, timeout};

use super::chore::{CHORES, Chore};
use super::dependencies::Maintenance;
use super::leader_state::Led;
use crate::guard::guarded;

/// The lease under which one process at a time leads.
const LEASE: &str = "leader";
/// The length of the lease, and the time after which it is extended. A process that does not lead
/// asks again after half of it.
const LEASED: Duration = Duration::from_secs(60);
const EXTENDED: Duration = Duration::from_secs(20);
/// The time after which a chore is given up, until it is due again: it must neither take the time
/// of the others nor outlast the lease.
const DEADLINE: Duration = Duration::from_secs(30);

impl Maintenance {
    /// Leads whenever no other process does, until the engine stops.
    pub(crate) async fn lead(self: Arc<Self>) {
        while self.core.lifecycle.is_running() {
            let pause = match self.core.has_lease(LEASE, LEASED).await {
                true if self.lead_on().await => continue,
                // A process that gets nothing done lets another one lead.
                true => LEASED,
                false => LEASED / 2,
            };
            *self.led() = Led::default();
            self.core.lifecycle.rest(pause).await;
        }
    }

    /// Does the due chores until the lease must be extended. False: none of them could be done.
    async fn lead_on(&self) -> bool {
        let (until, mut done) = (Instant::now() + EXTENDED, false);
        loop {
            let (due, chore) = self.next_chore();
            tokio::select! {
                biased;
                () = self.core.lifecycle.stopped() => return true,
                () = sleep_until(due.min(until)) => {}
            }
            if due >= until {
                return done;
            }
            done |= self.carry_out(chore).await;
        }
    }

    /// Returns the chore that is due first, and when.
    fn next_chore(&self) -> (Instant, Chore) {
        let due = self.led().due;
        let first = CHORES.into_iter().min_by_key(|chore| due[*chore as usize]);
        let chore = first.unwrap_or(Chore::PrepareLog);
        (due[chore as usize], chore)
    }

    async fn carry_out(&self, chore: Chore) -> bool {
        let began = Instant::now();
        // If it panics, the others still have their turns.
        self.led().due[chore as usize] = began + chore.pause(Duration::ZERO, false);
        let result = match timeout(DEADLINE, self.step(chore)).await {
            Ok(result) => result.map_err(|error| error.to_string()),
            Err(late) => Err(late.to_string()),
        };
        if let Err(error) = &result {
            guarded(|| tracing::warn!(chore = chore.name(), error, "a chore failed"));
        }
        let (now, mut led) = (Instant::now(), self.led());
        led.due[chore as usize] = now + chore.pause(now - began, result == Ok(true));
        if result.is_ok() {
            led.done[chore as usize] = Some(now);
        }
        result.is_ok()
    }

    /// Returns the log's free partitions, if this process creates them.
    pub(crate) fn room(&self) -> Option<LogHeadroom> {
        self.led().room
    }

    #[cfg(test)]
    pub(crate) fn set_room(&self, room: LogHeadroom) {
        self.led().room = Some(room);
    }

    /// Returns how long ago this process last did a step of each chore.
    pub(crate) fn chores(&self) -> BTreeMap<&'static str, Duration> {
        let done = CHORES.into_iter().zip(self.led().done);
        let ages = done.filter_map(|(chore, done)| Some((chore.name(), done?.elapsed())));
        ages.collect()
    }

    pub(super) fn led(&self) -> MutexGuard<'_, Led> {
        self.led.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
