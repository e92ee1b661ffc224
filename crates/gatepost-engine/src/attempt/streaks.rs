//! Since when webhooks have done nothing but fail.

use std::sync::{Mutex, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::Revision;
use webhook_model::WebhookId;

use crate::generations::Generations;

/// Of more failing webhooks those are forgotten that failed the longest time ago.
const MOST: usize = 200_000;

/// A target that goes on to say that it is gone is reported this often.
const GONE_EVERY: TimeDelta = TimeDelta::hours(1);
/// So is one whose webhook was changed since: it was perhaps disabled, and enabled again.
const CHANGED_EVERY: TimeDelta = TimeDelta::minutes(1);

#[derive(Debug)]
pub(super) struct FailureStreaks {
    /// Since when, and whether that was reported.
    failing: Mutex<Generations<WebhookId, (DateTime<Utc>, bool)>>,
    /// When it was last reported that the target is gone, and of which revision.
    gone: Mutex<Generations<WebhookId, (DateTime<Utc>, Revision)>>,
}

impl Default for FailureStreaks {
    fn default() -> Self {
        Self {
            failing: Mutex::new(Generations::new(MOST)),
            gone: Mutex::new(Generations::new(MOST)),
        }
    }
}

impl FailureStreaks {
    /// Notes an attempt; true once when the webhook has failed for as long as `limit`.
    pub(super) fn note(
        &self,
        webhook: WebhookId,
        success: bool,
        now: DateTime<Utc>,
        limit: TimeDelta,
    ) -> bool {
        let mut failing = self.failing.lock().unwrap_or_else(PoisonError::into_inner);
        if success {
            failing.remove(&webhook);
            return false;
        }
        let (since, reported) = failing.get_or_insert(&webhook, || (now, false));
        let reached = !*reported && now - *since >= limit;
        *reported |= reached;
        reached
    }

    /// The report found no place: the next attempt that fails makes it.
    pub(super) fn failing_unreported(&self, webhook: WebhookId) {
        let mut failing = self.failing.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, reported)) = failing.get(&webhook) {
            *reported = false;
        }
    }

    /// Notes that the target is gone; true where that is to be reported. A success in between
    /// changes nothing: notices of others are dropped while too many are under way.
    pub(super) fn gone(&self, webhook: WebhookId, revision: Revision, now: DateTime<Utc>) -> bool {
        let mut gone = self.gone.lock().unwrap_or_else(PoisonError::into_inner);
        let mut first = false;
        let reported = gone.get_or_insert(&webhook, || {
            first = true;
            (now, revision)
        });
        let (at, of) = *reported;
        let every = if revision > of {
            CHANGED_EVERY
        } else {
            GONE_EVERY
        };
        let again = first || now - at >= every;
        if again {
            *reported = (now, revision);
        }
        again
    }

    /// The report found no place: the next response that says so makes it.
    pub(super) fn gone_unreported(&self, webhook: WebhookId) {
        let mut gone = self.gone.lock().unwrap_or_else(PoisonError::into_inner);
        gone.remove(&webhook);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::noon;

    #[test]
    fn a_streak_is_reported_once_and_ends_with_a_success() {
        let streaks = FailureStreaks::default();
        let note = |id, success, hours| {
            let now = noon() + TimeDelta::hours(hours);
            streaks.note(WebhookId(id), success, now, TimeDelta::hours(10))
        };
        let seen = [0, 5, 10, 11, 30].map(|hours| note(1, false, hours));
        assert_eq!(seen, [false, false, true, false, false]);
        assert!(!note(2, false, 30), "another webhook has its own streak");
        assert!(!note(1, true, 31));
        let seen = [32, 41, 42].map(|hours| note(1, false, hours));
        assert_eq!(seen, [false, false, true]);
    }

    #[test]
    fn a_target_that_goes_on_to_be_gone_is_reported_once_an_hour() {
        let streaks = FailureStreaks::default();
        let gone = |id, minutes| {
            let now = noon() + TimeDelta::minutes(minutes);
            streaks.gone(WebhookId(id), Revision::FIRST, now)
        };
        let told = [0, 1, 59, 60, 61, 120].map(|minutes| gone(1, minutes));
        assert_eq!(told, [true, false, false, true, false, true]);
        assert!(gone(2, 61), "another webhook has its own hour");
    }

    #[test]
    fn a_webhook_that_was_enabled_again_is_reported_within_the_hour() {
        let streaks = FailureStreaks::default();
        let gone = |revision, seconds| {
            let now = noon() + TimeDelta::seconds(seconds);
            streaks.gone(WebhookId(1), Revision(revision), now)
        };
        assert!(gone(1, 0));
        assert!(!gone(3, 59), "changes do not take the places of others");
        assert!(gone(3, 60));
        assert!(!gone(3, 600), "it was not changed since");
        assert!(!gone(1, 600), "a late response of what it was before");
    }

    #[test]
    fn webhooks_that_are_made_to_fail_without_end_take_no_more_than_their_room() {
        let streaks = FailureStreaks::default();
        let note = |id, now| streaks.note(WebhookId(id), false, now, TimeDelta::hours(1));
        note(0, noon());
        for id in 1..3 * MOST as i64 {
            note(id, noon());
            if id % 1_000 == 0 {
                note(0, noon());
            }
        }
        let count = streaks.failing.lock().unwrap().len();
        assert!(count <= MOST, "{count}");
        assert!(note(0, noon() + TimeDelta::hours(1)), "it still fails");
    }
}
