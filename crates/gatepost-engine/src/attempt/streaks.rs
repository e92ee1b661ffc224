//! Since when webhooks have done nothing but fail.

use std::sync::{Mutex, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};
use webhook_model::WebhookId;

use crate::generations::Generations;

/// Of more failing webhooks those are forgotten that failed the longest time ago.
const MOST: usize = 200_000;

/// For each failing webhook: since when, and whether that was reported.
#[derive(Debug)]
pub(super) struct FailureStreaks(Mutex<Generations<WebhookId, (DateTime<Utc>, bool)>>);

impl Default for FailureStreaks {
    fn default() -> Self {
        Self(Mutex::new(Generations::new(MOST)))
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
        let mut failing = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if success {
            failing.remove(&webhook);
            return false;
        }
        let (since, reported) = failing.get_or_insert(&webhook, || (now, false));
        let reached = !*reported && now - *since >= limit;
        *reported |= reached;
        reached
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
        let count = streaks.0.lock().unwrap().len();
        assert!(count <= MOST, "{count}");
        assert!(note(0, noon() + TimeDelta::hours(1)), "it still fails");
    }
}
