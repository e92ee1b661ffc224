//! Lanes that will have something: what this process settled itself need not be asked for.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::webhooks::{DueLane, Lane};

/// Of more, nothing is noted: looks find what becomes due.
const MOST: usize = 100_000;
/// Due times are rounded up to this, so that a lane with very many retries is noted ten times for
/// each second.
const STEP: TimeDelta = TimeDelta::milliseconds(100);

/// Lanes by due time.
#[derive(Debug, Default)]
pub(super) struct Later(BTreeMap<(DateTime<Utc>, Lane), DueLane>);

impl Later {
    /// Something in this lane is due at its due time. Whether it is the next of all.
    pub(super) fn add(&mut self, lane: DueLane) -> bool {
        let at = rounded_up(lane.due);
        let is_next = self.next().is_none_or(|next| at < next);
        if self.0.len() >= MOST {
            return false;
        }
        self.0.insert((at, lane.lane), DueLane { due: at, ..lane });
        is_next
    }

    pub(super) fn next(&self) -> Option<DateTime<Utc>> {
        self.0.first_key_value().map(|((due, _), _)| *due)
    }

    /// One that is due by now.
    pub(super) fn take_due(&mut self, now: DateTime<Utc>) -> Option<DueLane> {
        let first = self.0.first_entry()?;
        (first.key().0 <= now).then(|| first.remove())
    }
}

fn rounded_up(due: DateTime<Utc>) -> DateTime<Utc> {
    let step = STEP.num_microseconds().unwrap_or(1);
    let beyond = due.timestamp_micros().rem_euclid(step);
    if beyond == 0 {
        return due;
    }
    due + TimeDelta::microseconds(step - beyond)
}

#[cfg(test)]
mod tests {
    use gatepost_ids::Place;
    use gatepost_storage::Revision;
    use gatepost_storage::webhooks::LaneClass;
    use webhook_model::{OwnerId, WebhookId};

    use super::*;
    use crate::testing::noon;

    fn lane(webhook: i64, milliseconds: i64) -> DueLane {
        DueLane {
            lane: Lane {
                webhook: WebhookId(webhook),
                class: LaneClass::Retry,
            },
            due: noon() + TimeDelta::milliseconds(milliseconds),
            owner: OwnerId(1),
            place: Place::Common,
            revision: Revision::FIRST,
        }
    }

    #[test]
    fn a_lane_comes_when_it_is_due_never_before_and_once_for_what_is_due_at_about_one_time() {
        let mut later = Later::default();
        assert!(later.add(lane(1, 1_050)) && later.add(lane(2, 500)));
        assert!(!later.add(lane(1, 1_001)), "it is there, and not the next");
        let at = |milliseconds| noon() + TimeDelta::milliseconds(milliseconds);
        assert_eq!(later.next(), Some(at(500)));
        assert_eq!(later.take_due(at(499)), None);
        assert_eq!(
            later.take_due(at(500)).map(|due| due.lane),
            Some(lane(2, 0).lane)
        );
        assert_eq!(later.take_due(at(1_099)), None);
        assert_eq!(
            later.take_due(at(1_100)).map(|due| due.lane),
            Some(lane(1, 0).lane)
        );
        assert_eq!(later.take_due(at(9_999)), None);
    }

    #[test]
    fn more_than_there_is_room_for_is_not_noted() {
        let mut later = Later::default();
        for n in 0..2 * MOST as i64 {
            later.add(lane(n, 1_000));
        }
        assert_eq!(later.0.len(), MOST);
    }
}
