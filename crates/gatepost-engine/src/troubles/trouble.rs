//! The trouble of one webhook.

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::Revision;
use gatepost_storage::webhooks::RejectReason;
use webhook_model::OwnerId;

/// The time of uninterrupted failures after which a webhook is failing. It is failing earlier if a
/// delivery is given up.
pub(super) const FAILING_AFTER: TimeDelta = TimeDelta::minutes(10);
/// Bytes of a reason that are kept.
const REASON: usize = 200;

/// A notice that a webhook is failing.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Told {
    /// The last success before that.
    pub sent: Option<DateTime<Utc>>,
    /// The beginning of the failures: with a later success it has recovered.
    pub since: DateTime<Utc>,
    /// The time of the next check for a success.
    pub look: DateTime<Utc>,
}

/// Deliveries without a notice so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Unsaid {
    pub count: u64,
    /// The earliest time of the next notice.
    pub next: DateTime<Utc>,
}

impl Unsaid {
    fn add(&mut self, count: u64) {
        self.count = self.count.saturating_add(count);
    }

    pub(crate) fn is_due(&self, now: DateTime<Utc>) -> bool {
        self.count > 0 && self.next <= now
    }
}

/// The state of a webhook that failed, or was disabled.
#[derive(Clone, Debug)]
pub(crate) struct Trouble {
    pub owner: OwnerId,
    /// The time since which all its attempts have failed.
    pub since: Option<DateTime<Utc>>,
    /// The last success that this process knows of since the trouble began.
    pub sent: Option<DateTime<Utc>>,
    /// Whether a delivery was given up because of them.
    pub gave_up: bool,
    /// The reason of the last failure.
    pub reason: String,
    /// Deliveries that were given up.
    pub exhausted: Unsaid,
    /// Deliveries that were not stored.
    pub rejected: Unsaid,
    /// The limit that the last of them exceeded.
    pub limit: &'static str,
    /// It was disabled, for this reason, and no notice was given yet.
    pub disabled: Option<(Revision, &'static str)>,
    pub told: Option<Told>,
    /// The earliest time of the next notice that it is failing.
    pub next_failing: DateTime<Utc>,
    /// The time until which it is being checked.
    pub held: DateTime<Utc>,
}

impl Trouble {
    pub(super) fn new(owner: OwnerId) -> Self {
        Self {
            owner,
            since: None,
            sent: None,
            gave_up: false,
            reason: String::new(),
            exhausted: Unsaid::default(),
            rejected: Unsaid::default(),
            limit: "",
            disabled: None,
            told: None,
            next_failing: DateTime::UNIX_EPOCH,
            held: DateTime::UNIX_EPOCH,
        }
    }

    pub(super) fn failed(&mut self, reason: &str, gave_up: bool, at: DateTime<Utc>) {
        self.since.get_or_insert(at);
        self.reason = short(reason).to_owned();
        if gave_up {
            self.gave_up = true;
            self.exhausted.add(1);
        }
    }

    pub(super) fn rejected(&mut self, reason: RejectReason, count: u64) {
        self.rejected.add(count);
        self.limit = reason.as_str();
    }

    /// Notes a success: later failures are a new trouble.
    pub(crate) fn received(&mut self, at: DateTime<Utc>) {
        (self.since, self.gave_up) = (None, false);
        self.sent = self.sent.max(Some(at));
        if let Some(told) = &mut self.told {
            told.look = told.look.min(at);
        }
    }

    /// Returns when its owner must be notified that it is failing, if it continues to fail.
    pub(super) fn failing_at(&self) -> Option<DateTime<Utc>> {
        let since = self.since.filter(|_| self.told.is_none())?;
        let failing = match self.gave_up {
            true => since,
            false => since + FAILING_AFTER,
        };
        Some(failing.max(self.next_failing))
    }

    /// Whether its owner must be notified that it is failing.
    pub(crate) fn is_failing(&self, now: DateTime<Utc>) -> bool {
        self.failing_at().is_some_and(|at| at <= now)
    }

    /// Returns when it must be checked; if no notice remains, it can be forgotten then.
    pub(super) fn due(&self) -> DateTime<Utc> {
        let unsaid = |of: Unsaid| (of.count > 0).then_some(of.next);
        let due = [
            unsaid(self.exhausted),
            unsaid(self.rejected),
            self.disabled.map(|_| DateTime::UNIX_EPOCH),
            self.told.map(|told| told.look),
            self.failing_at(),
        ];
        let quiet = [self.next_failing, self.exhausted.next, self.rejected.next];
        let due = due.into_iter().flatten().min();
        due.or(quiet.into_iter().max())
            .max(Some(self.held))
            .unwrap_or_default()
    }

    /// Whether nothing remains that may have to be reported.
    pub(super) fn is_over(&self) -> bool {
        let failing = self.since.is_some() || self.told.is_some();
        !failing && self.exhausted.count == 0 && self.rejected.count == 0 && self.disabled.is_none()
    }
}

fn short(reason: &str) -> &str {
    let end = (0..=REASON).rev().find(|end| reason.is_char_boundary(*end));
    match end {
        Some(end) if reason.len() > REASON => reason.get(..end).unwrap_or_default(),
        _ => reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::noon;

    #[test]
    fn webhook_fails_on_exhaustion_or_after_ten_minutes() {
        let mut trouble = Trouble::new(OwnerId(1));
        trouble.failed("HTTP 500", false, noon());
        trouble.failed("HTTP 502", false, noon() + TimeDelta::minutes(3));
        assert_eq!(trouble.due(), noon() + FAILING_AFTER);
        trouble.failed("HTTP 503", true, noon() + TimeDelta::minutes(4));
        assert_eq!(trouble.failing_at(), Some(noon()));
        assert_eq!((&*trouble.reason, trouble.exhausted.count), ("HTTP 503", 1));
        trouble.next_failing = noon() + TimeDelta::hours(1);
        assert_eq!(trouble.failing_at(), Some(noon() + TimeDelta::hours(1)));
        trouble.received(noon());
        assert_eq!(trouble.failing_at(), None);
        assert!(!trouble.is_over(), "one delivery was given up all the same");
    }

    #[test]
    fn a_reason_is_cut_between_characters() {
        assert_eq!(short("HTTP 500"), "HTTP 500");
        let long = format!("{}é{}", "a".repeat(REASON - 1), "b".repeat(50));
        assert_eq!(short(&long), "a".repeat(REASON - 1));
    }
}
