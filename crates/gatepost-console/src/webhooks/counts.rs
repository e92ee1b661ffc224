//! What became of a webhook's deliveries: sums of the counters of its hours, and what has not
//! ended.

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_manage::ManageError;
use gatepost_storage::webhooks::{DeliveryQuery, DeliveryState, HourlyCount};
use webhook_model::WebhookId;

use crate::choices::newest_rows;
use crate::context::PageContext;
use crate::failure::Failure;
use crate::texts::Texts;

/// Hours of which counters are summed up at most: more than a year.
const ALL: u32 = 10_000;
/// At most this number of deliveries is counted.
const MOST: u32 = 1_000;

/// Deliveries that ended, and attempts after which another was to follow.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct Counts {
    pub sent: u64,
    pub failed: u64,
    pub retried: u64,
    /// How long the attempts took together, in milliseconds.
    pub took: u64,
}

impl Counts {
    /// Deliveries that ended.
    pub(super) fn ended(self) -> u64 {
        self.sent.saturating_add(self.failed)
    }

    /// Attempts; what ended in failure without one is counted as one.
    fn attempts(self) -> u64 {
        self.ended().saturating_add(self.retried)
    }

    pub(super) fn is_none(self) -> bool {
        self.attempts() == 0
    }

    /// Whether attempts were made and none succeeded.
    pub(super) fn only_failed(self) -> bool {
        self.sent == 0 && !self.is_none()
    }

    /// How long an attempt took on average, in milliseconds; `None` without one.
    pub(super) fn mean(self) -> Option<u64> {
        self.took.checked_div(self.attempts())
    }

    /// How many attempts of a hundred failed; `None` without one.
    pub(super) fn failing(self) -> Option<u64> {
        let failed = u128::from(self.failed) + u128::from(self.retried);
        let share = (failed * 100).checked_div(u128::from(self.attempts()))?;
        u64::try_from(share).ok().filter(|_| failed > 0)
    }

    pub(super) fn add(&mut self, more: Self) {
        self.sent = self.sent.saturating_add(more.sent);
        self.failed = self.failed.saturating_add(more.failed);
        self.retried = self.retried.saturating_add(more.retried);
        self.took = self.took.saturating_add(more.took);
    }

    /// These together.
    pub(super) fn sum(all: impl IntoIterator<Item = Self>) -> Self {
        let mut sum = Self::default();
        all.into_iter().for_each(|counts| sum.add(counts));
        sum
    }
}

impl From<&HourlyCount> for Counts {
    fn from(hour: &HourlyCount) -> Self {
        Self {
            sent: hour.sent,
            failed: hour.failed,
            retried: hour.retried,
            took: hour.milliseconds,
        }
    }
}

/// The hours of the last day: from then, until before then.
pub(super) fn day(ctx: &PageContext) -> (DateTime<Utc>, DateTime<Utc>) {
    (beginning(ctx.now()), ctx.now() + TimeDelta::hours(1))
}

/// The last day by the hour, oldest first.
pub(super) async fn of_day(ctx: &PageContext, webhook: WebhookId) -> Result<Vec<Counts>, Failure> {
    let (from, _) = day(ctx);
    of_hours(ctx, webhook, from, 24, 1).await
}

/// The hours since then in this number of equal parts, oldest first.
pub(super) async fn of_hours(
    ctx: &PageContext,
    webhook: WebhookId,
    from: DateTime<Utc>,
    parts: usize,
    hours: usize,
) -> Result<Vec<Counts>, Failure> {
    let mut all = vec![Counts::default(); parts];
    let most = u32::try_from(parts.saturating_mul(hours)).unwrap_or(ALL);
    for hour in read(ctx, webhook, from, most).await? {
        let at = usize::try_from((hour.hour - from).num_hours()).unwrap_or_default();
        if let Some(counts) = all.get_mut(at / hours.max(1)) {
            counts.add(Counts::from(&hour));
        }
    }
    Ok(all)
}

/// All that is counted.
pub(super) async fn of_all(ctx: &PageContext, webhook: WebhookId) -> Result<Counts, Failure> {
    let hours = read(ctx, webhook, DateTime::UNIX_EPOCH, ALL).await?;
    Ok(Counts::sum(hours.iter().map(Counts::from)))
}

/// The start of the first hour of a day's counters.
pub(super) fn beginning(now: DateTime<Utc>) -> DateTime<Utc> {
    let past = TimeDelta::seconds(now.timestamp().rem_euclid(3600));
    let begun = now - past - TimeDelta::nanoseconds(now.timestamp_subsec_nanos().into());
    begun - TimeDelta::hours(23)
}

async fn read(
    ctx: &PageContext,
    webhook: WebhookId,
    from: DateTime<Utc>,
    limit: u32,
) -> Result<Vec<HourlyCount>, Failure> {
    let before = ctx.now() + TimeDelta::hours(1);
    let counts = ctx.actor.webhook_counts(webhook, from, before, limit);
    match counts.await {
        // Deleted while a page was made.
        Err(ManageError::NotFound) => Ok(Vec::new()),
        counts => Ok(counts?),
    }
}

/// Deliveries that have not ended.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Open {
    queued: usize,
    running: usize,
    /// There are more than were counted.
    more: bool,
}

impl Open {
    pub(super) async fn of(ctx: &PageContext, webhook: WebhookId) -> Result<Self, Failure> {
        let query = DeliveryQuery {
            webhook: Some(webhook),
            states: vec![DeliveryState::Queued, DeliveryState::Running],
            ..DeliveryQuery::all(newest_rows(MOST))
        };
        let found = ctx.actor.deliveries(&query).await?;
        let running = found.rows.iter();
        let running = running.filter(|delivery| delivery.state == DeliveryState::Running);
        let running = running.count();
        Ok(Self {
            queued: found.rows.len() - running,
            running,
            more: found.next.is_some(),
        })
    }

    /// How many wait, and how many are being sent.
    pub(super) fn words(self, texts: &Texts) -> [String; 2] {
        [self.queued, self.running].map(|count| match self.more {
            true => texts.with("webhooks-figure-more", &[("count", count.into())]),
            false => texts.number(count as u64),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_begins_with_the_first_of_its_full_hours() {
        let now: DateTime<Utc> = "2026-03-02T10:59:59.5Z".parse().unwrap();
        let first: DateTime<Utc> = "2026-03-01T11:00:00Z".parse().unwrap();
        assert_eq!(beginning(now), first);
    }
}
