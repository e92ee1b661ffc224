//! One lane.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use tokio::time::Instant;

/// A lane is busy once this many were claimed from it: before, there is little to walk over.
const BUSY: i64 = 128;
/// What another process has queued may be committed a little later than what was due after it.
const SLACK: TimeDelta = TimeDelta::milliseconds(100);
/// How often a lane is looked at as a whole, at most.
const LOOK: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct Front {
    /// What was due before has been claimed. `None`: nothing is known.
    since: Option<DateTime<Utc>>,
    /// The earliest that was queued since the claims began that are under way.
    queued: Option<DateTime<Utc>>,
    under_way: u32,
    claimed: i64,
    /// The next look at the whole.
    look: Instant,
}

impl Front {
    pub(super) fn new(now: Instant) -> Self {
        Self {
            since: None,
            queued: None,
            under_way: 0,
            claimed: 0,
            look: now + LOOK,
        }
    }

    pub(super) fn is_busy(&self) -> bool {
        self.claimed >= BUSY
    }

    /// Where it begins, if it is busy.
    pub(super) fn since(&self) -> Option<DateTime<Utc>> {
        self.since.filter(|_| self.is_busy())
    }

    /// Up to where this process has claimed.
    pub(super) fn claimed_to(&self) -> Option<DateTime<Utc>> {
        self.since
    }

    pub(super) fn is_stale(&self, now: Instant) -> bool {
        self.is_busy() && now >= self.look
    }

    /// The whole is being looked at.
    pub(super) fn looked(&mut self, now: Instant) {
        self.look = now + LOOK;
    }

    pub(super) fn queued(&mut self, due: DateTime<Utc>) {
        self.since = self.since.map(|since| since.min(due));
        self.queued = Some(self.queued.map_or(due, |queued| queued.min(due)));
    }

    /// Another process has queued something: of a lane that is not busy all is looked at.
    pub(super) fn heard(&mut self) {
        self.since = self.since();
    }

    pub(super) fn begin(&mut self) {
        if self.under_way == 0 {
            self.queued = None;
        }
        self.under_way += 1;
    }

    pub(super) fn end_in_vain(&mut self) {
        self.under_way = self.under_way.saturating_sub(1);
    }

    /// A claim that began at `begun` took this many; of what was due from there until before
    /// `upto` nothing is left.
    pub(super) fn end(&mut self, claimed: i64, begun: Option<DateTime<Utc>>, upto: DateTime<Utc>) {
        self.end_in_vain();
        self.claimed = self.claimed.saturating_add(claimed);
        if begun.is_some_and(|begun| self.since.is_none_or(|since| since < begun)) {
            // Led back since: it says nothing of what is before.
            return;
        }
        let upto = upto.checked_sub_signed(SLACK).unwrap_or(upto);
        self.since = Some(self.queued.map_or(upto, |queued| upto.min(queued)));
    }
}
