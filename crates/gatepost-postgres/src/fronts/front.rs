//! One lane.

use chrono::{DateTime, TimeDelta, Utc};

/// Earlier than anything that waits.
pub(super) const FRONT: DateTime<Utc> = DateTime::<Utc>::MIN_UTC;
/// What another process has queued may be committed a little later than what was due after it.
const SLACK: TimeDelta = TimeDelta::milliseconds(100);

#[derive(Debug, Default)]
pub(super) struct Front {
    /// What was due before has been claimed. `None`: nothing is known.
    since: Option<DateTime<Utc>>,
    /// The earliest that was queued since the claims began that are under way.
    queued: Option<DateTime<Utc>>,
    under_way: u32,
}

impl Front {
    /// Where it begins; `None`: at the front.
    pub(super) fn since(&self) -> Option<DateTime<Utc>> {
        self.since.filter(|since| *since > FRONT)
    }

    pub(super) fn queued(&mut self, due: DateTime<Utc>) {
        self.since = self.since.map(|since| since.min(due));
        self.queued = Some(self.queued.map_or(due, |queued| queued.min(due)));
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

    /// A claim began at `begun`; of what was due from there until before `upto` nothing is left.
    pub(super) fn end(&mut self, begun: Option<DateTime<Utc>>, upto: DateTime<Utc>) {
        self.end_in_vain();
        if begun.is_some_and(|begun| self.since.is_none_or(|since| since < begun)) {
            // Led back since: it says nothing of what is before.
            return;
        }
        let upto = upto.checked_sub_signed(SLACK).unwrap_or(upto);
        self.since = Some(self.queued.map_or(upto, |queued| upto.min(queued)));
    }
}
