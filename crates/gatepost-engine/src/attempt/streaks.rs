//! Uninterrupted failures of webhooks, and when they began.

use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::Revision;
use gatepost_storage::webhooks::HourlyCount;
use webhook_model::{OwnerId, WebhookId};

use crate::fair_map::Shares;
use crate::settle::{has_failed, last_sent};

/// The maximum number of failing webhooks. Over it, those that failed the longest time ago are
/// forgotten: of the owner with most of them, if that owner has a sixteenth.
const MOST: usize = 200_000;

/// The interval at which a target that keeps responding 410 is reported.
const GONE_EVERY: TimeDelta = TimeDelta::hours(1);
/// The interval if its webhook was changed in between: it may have been disabled, and enabled
/// again.
const CHANGED_EVERY: TimeDelta = TimeDelta::minutes(1);

/// The state of a webhook that has failed, in this process.
#[derive(Debug, Default)]
struct Streak {
    /// `None`: it has responded.
    since: Option<DateTime<Utc>>,
    /// When the earlier history was known: other processes were asked, or it responded to this one.
    /// For a target that fails every other time nobody asks again.
    known: Option<DateTime<Utc>>,
    is_reported: bool,
}

#[derive(Debug)]
pub(super) struct FailureStreaks {
    failing: Mutex<Shares<WebhookId, Streak>>,
    /// The last `410 Gone` of the target, and the revision that it was sent at.
    gone: Mutex<Shares<WebhookId, (DateTime<Utc>, Revision)>>,
}

impl Default for FailureStreaks {
    fn default() -> Self {
        Self {
            failing: Mutex::new(Shares::new(MOST)),
            gone: Mutex::new(Shares::new(MOST)),
        }
    }
}

impl FailureStreaks {
    /// Notes an attempt.
    pub(super) fn note(
        &self,
        (webhook, owner): (WebhookId, OwnerId),
        success: bool,
        now: DateTime<Utc>,
    ) {
        let mut failing = self.lock();
        if !success && failing.get(webhook).is_none() {
            failing.insert(webhook, owner, Streak::default(), 1);
        }
        let Some(streak) = failing.get(webhook) else {
            return;
        };
        if success {
            (streak.since, streak.known, streak.is_reported) = (None, Some(now), false);
        } else if streak.since.is_none() {
            // Attempts of other processes are counted by the hour: older knowledge does not include
            // them.
            let recent = |known: &DateTime<Utc>| now - *known < TimeDelta::hours(1);
            streak.known = streak.known.filter(recent);
            streak.since = Some(now);
        }
    }

    /// Returns since when a webhook has failed as far as is known, if other processes must be
    /// asked: when it begins to fail, and once it would have failed for as long as `limit`.
    pub(super) fn due(
        &self,
        webhook: WebhookId,
        now: DateTime<Utc>,
        limit: TimeDelta,
    ) -> Option<DateTime<Utc>> {
        let mut failing = self.lock();
        let streak = failing.get(webhook).filter(|streak| !streak.is_reported)?;
        let since = streak.since?;
        let is_due = streak.known.is_none() || now - since >= limit;
        is_due.then_some(since)
    }

    /// Notes the counts of other processes about the streak that began at `noted`. If another
    /// streak has begun in between, it is not changed. True once when the webhook has failed for as
    /// long as `limit`.
    pub(super) fn known(
        &self,
        webhook: WebhookId,
        noted: DateTime<Utc>,
        since: DateTime<Utc>,
        now: DateTime<Utc>,
        limit: TimeDelta,
    ) -> bool {
        let mut failing = self.lock();
        let streak = failing.get(webhook);
        let Some(streak) = streak.filter(|streak| streak.since == Some(noted)) else {
            return false;
        };
        let reached = !streak.is_reported && now - since >= limit;
        (streak.since, streak.known) = (Some(since), Some(now));
        streak.is_reported |= reached;
        reached
    }

    /// Lets the next failed attempt report it again: the notice could not be given, or did not end
    /// the failures.
    pub(super) fn failing_unreported(&self, webhook: WebhookId) {
        if let Some(streak) = self.lock().get(webhook) {
            streak.is_reported = false;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Shares<WebhookId, Streak>> {
        self.failing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a 410 of the target; true if this must be reported. A success in between changes
    /// nothing: other notices are dropped while too many are under way.
    pub(super) fn gone(
        &self,
        (webhook, owner): (WebhookId, OwnerId),
        revision: Revision,
        now: DateTime<Utc>,
    ) -> bool {
        let mut gone = self.gone.lock().unwrap_or_else(PoisonError::into_inner);
        let again = gone.get(webhook).is_none_or(|(at, of)| {
            let every = match revision > *of {
                true => CHANGED_EVERY,
                false => GONE_EVERY,
            };
            now - *at >= every
        });
        if again {
            gone.insert(webhook, owner, (now, revision), 1);
        }
        again
    }

    /// Lets the next such response report it: the notice could not be given.
    pub(super) fn gone_unreported(&self, webhook: WebhookId) {
        let mut gone = self.gone.lock().unwrap_or_else(PoisonError::into_inner);
        gone.forget(webhook);
    }
}

/// Returns since when a webhook has failed, by the counts of all processes, if it fails at `at` and
/// has failed in this process since `noted`. The time within an hour is unknown: a failed hour
/// counts from its end. Failures before a success of another process do not count.
pub(super) fn failing_since(
    counts: &[HourlyCount],
    noted: DateTime<Utc>,
    at: DateTime<Utc>,
) -> DateTime<Utc> {
    let sent = last_sent(counts);
    let noted = if sent > Some(noted) { at } else { noted };
    let failed = counts
        .iter()
        .filter(|count| has_failed(count) && sent.is_none_or(|sent| count.hour > sent));
    let failed = failed.map(|count| count.hour + TimeDelta::hours(1)).min();
    failed.map_or(noted, |failed| failed.min(noted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::noon;

    /// Notes an attempt when no other process has counts.
    fn note(
        streaks: &FailureStreaks,
        id: i64,
        success: bool,
        now: DateTime<Utc>,
        limit: TimeDelta,
    ) -> bool {
        let id = WebhookId(id);
        streaks.note((id, OwnerId(1)), success, now);
        let since = streaks.due(id, now, limit);
        since.is_some_and(|since| streaks.known(id, since, since, now, limit))
    }

    #[test]
    fn streak_is_reported_once_and_ends_on_success() {
        let streaks = FailureStreaks::default();
        let note = |id, success, hours| {
            let now = noon() + TimeDelta::hours(hours);
            note(&streaks, id, success, now, TimeDelta::hours(10))
        };
        let seen = [0, 5, 10, 11, 30].map(|hours| note(1, false, hours));
        assert_eq!(seen, [false, false, true, false, false]);
        assert!(!note(2, false, 30), "another webhook has its own streak");
        assert!(!note(1, true, 31));
        let seen = [32, 41, 42].map(|hours| note(1, false, hours));
        assert_eq!(seen, [false, false, true]);
    }

    #[test]
    fn streak_start_and_limit_query_other_processes() {
        let (streaks, id) = (FailureStreaks::default(), WebhookId(1));
        let (hour, limit) = (TimeDelta::hours(1), TimeDelta::hours(10));
        let due = |hours| streaks.due(id, noon() + hour * hours, limit);
        assert_eq!(due(0), None, "it does not fail");
        streaks.note((id, OwnerId(1)), false, noon());
        assert_eq!(due(0), Some(noon()));
        assert!(!streaks.known(id, noon(), noon() - hour, noon(), limit));
        assert_eq!(due(8), None);
        assert_eq!(due(9), Some(noon() - hour));
        let later = noon() + hour * 5;
        assert!(!streaks.known(id, noon() - hour, later, noon() + hour * 9, limit));
        assert_eq!(due(14), None, "another process has delivered since");
        assert_eq!(due(15), Some(later));
        assert!(streaks.known(id, later, later, noon() + hour * 15, limit));
        assert_eq!(due(30), None, "it is reported");
        streaks.note((id, OwnerId(1)), true, noon() + hour * 31);
        let after = |minutes| noon() + hour * 31 + TimeDelta::minutes(minutes);
        streaks.note((id, OwnerId(1)), false, after(59));
        assert_eq!(due(32), None, "it began after that success");
        assert_eq!(due(42), Some(after(59)));
        streaks.note((id, OwnerId(1)), true, after(60));
        streaks.note((id, OwnerId(1)), false, after(120));
        assert_eq!(due(33), Some(after(120)), "others may have failed before");
    }

    #[test]
    fn streak_begun_while_others_are_asked_is_kept() {
        let (streaks, id) = (FailureStreaks::default(), WebhookId(1));
        let (hour, limit) = (TimeDelta::hours(1), TimeDelta::hours(10));
        streaks.note((id, OwnerId(1)), false, noon());
        let noted = streaks.due(id, noon(), limit).unwrap();
        // While the counters are read the webhook responds, and fails again.
        streaks.note((id, OwnerId(1)), true, noon() + hour);
        let begun = noon() + TimeDelta::minutes(90);
        streaks.note((id, OwnerId(1)), false, begun);
        let counted = noon() - hour * 20;
        assert!(!streaks.known(id, noted, counted, begun, limit));
        assert_eq!(streaks.due(id, begun + hour * 9, limit), None);
        assert_eq!(streaks.due(id, begun + limit, limit), Some(begun));
    }

    #[test]
    fn streak_starts_after_last_success_at_first_failure() {
        let hour = |hours| noon() + TimeDelta::hours(hours);
        let cancelled = |hours| HourlyCount::failed(WebhookId(1), hour(hours));
        let failed = |hours| HourlyCount {
            milliseconds: 5,
            ..cancelled(hours)
        };
        let sent = |hours, minutes| HourlyCount {
            last_sent: Some(hour(hours) + TimeDelta::minutes(minutes)),
            ..failed(hours)
        };
        let noted = hour(9) + TimeDelta::minutes(30);
        let at = hour(9) + TimeDelta::minutes(50);
        let since = |counts: &[HourlyCount]| failing_since(counts, noted, at);
        assert_eq!(since(&[]), noted);
        assert_eq!(since(&[failed(9)]), noted);
        assert_eq!(since(&[failed(9), failed(5), failed(2)]), hour(3));
        assert_eq!(since(&[failed(9), failed(5), cancelled(2)]), hour(6));
        assert_eq!(since(&[failed(9), failed(5), sent(2, 30)]), hour(6));
        assert_eq!(since(&[failed(9), sent(8, 59), failed(2)]), noted);
        assert_eq!(since(&[sent(9, 45), failed(2)]), at);
    }

    #[test]
    fn repeated_410_is_reported_once_an_hour() {
        let streaks = FailureStreaks::default();
        let gone = |id, minutes| {
            let now = noon() + TimeDelta::minutes(minutes);
            streaks.gone((WebhookId(id), OwnerId(1)), Revision::FIRST, now)
        };
        let told = [0, 1, 59, 60, 61, 120].map(|minutes| gone(1, minutes));
        assert_eq!(told, [true, false, false, true, false, true]);
        assert!(gone(2, 61), "another webhook has its own hour");
    }

    #[test]
    fn changed_webhook_reports_410_again_within_the_hour() {
        let streaks = FailureStreaks::default();
        let gone = |revision, seconds| {
            let now = noon() + TimeDelta::seconds(seconds);
            streaks.gone((WebhookId(1), OwnerId(1)), Revision(revision), now)
        };
        assert!(gone(1, 0));
        assert!(!gone(3, 59), "changes do not evict others");
        assert!(gone(3, 60));
        assert!(!gone(3, 600), "it was not changed since");
        assert!(!gone(1, 600), "a late response of what it was before");
    }

    #[test]
    fn failure_streaks_evict_only_those_of_their_owner() {
        let streaks = FailureStreaks::default();
        let (hour, other) = (TimeDelta::hours(1), (WebhookId(0), OwnerId(2)));
        streaks.note(other, false, noon());
        for id in 1..2 * MOST as i64 {
            streaks.note((WebhookId(id), OwnerId(1)), false, noon());
        }
        assert_eq!(streaks.due(other.0, noon() + hour, hour), Some(noon()));
        assert_eq!(streaks.due(WebhookId(1), noon() + hour, hour), None);
        let last = WebhookId(2 * MOST as i64 - 1);
        assert_eq!(streaks.due(last, noon() + hour, hour), Some(noon()));
    }
}
