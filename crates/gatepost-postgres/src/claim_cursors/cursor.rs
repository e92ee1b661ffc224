//! The claim cursor of one queue.

use chrono::{DateTime, TimeDelta, Utc};

/// Earlier than any waiting delivery.
pub(super) const FRONT: DateTime<Utc> = DateTime::<Utc>::MIN_UTC;
/// How much later a delivery of another process may be committed than one that is due after it.
const SLACK: TimeDelta = TimeDelta::milliseconds(100);

#[derive(Debug, Default)]
pub(super) struct Front {
    /// All deliveries due earlier have been claimed. `None`: nothing is known.
    since: Option<DateTime<Utc>>,
    /// The earliest due time that was enqueued after the claims under way began.
    queued: Option<DateTime<Utc>>,
    under_way: u32,
}

impl Front {
    /// Returns the due time at which a claim begins; `None` is the start of the queue.
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

    /// Ends a claim that began at `begun`: no delivery that is due from there until before `upto`
    /// is left.
    pub(super) fn end(&mut self, begun: Option<DateTime<Utc>>, upto: DateTime<Utc>) {
        self.end_in_vain();
        if begun.is_some_and(|begun| self.since.is_none_or(|since| since < begun)) {
            // The cursor has moved back: this claim says nothing about earlier deliveries.
            return;
        }
        let upto = upto.checked_sub_signed(SLACK).unwrap_or(upto);
        self.since = Some(self.queued.map_or(upto, |queued| upto.min(queued)));
    }
}
