//! The outcomes of a webhook's deliveries: sums of its hourly counters, and the deliveries that
//! have not ended.

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_manage::ManageError;
use gatepost_storage::webhooks::{Delivery, DeliveryQuery, DeliveryState, HourlyCount};
use webhook_model::WebhookId;

use crate::choices::newest_rows;
use crate::context::PageContext;
use crate::failure::Failure;
use crate::texts::Texts;

/// The maximum number of hours whose counters are summed: more than a year.
const ALL: u32 = 10_000;
/// The maximum number of deliveries that are counted, as in the list of deliveries.
const MOST: u32 = 2_000;

/// The number of consecutive failed attempts from which a webhook is failing.
pub(super) const FAILING: u64 = 3;

/// The numbers of deliveries that ended, and of attempts after which another was to follow.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct Counts {
    pub sent: u64,
    pub failed: u64,
    pub retried: u64,
    /// The total duration of the attempts, in milliseconds.
    pub took: u64,
}

impl Counts {
    /// Returns the number of deliveries that ended.
    pub(super) fn ended(self) -> u64 {
        self.sent.saturating_add(self.failed)
    }

    /// Returns the number of attempts; a delivery that failed without one counts as one.
    fn attempts(self) -> u64 {
        self.ended().saturating_add(self.retried)
    }

    pub(super) fn is_none(self) -> bool {
        self.attempts() == 0
    }

    /// Whether several attempts were made and none succeeded.
    pub(super) fn only_failed(self) -> bool {
        self.sent == 0 && self.attempts() >= FAILING
    }

    /// Returns the average duration of an attempt, in milliseconds; `None` without attempts.
    pub(super) fn mean(self) -> Option<u64> {
        self.took.checked_div(self.attempts())
    }

    /// Returns the percentage of attempts that failed; `None` without attempts.
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

    /// Returns the sum of these.
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

/// Returns the hours of the last day: the start, and the end, which is excluded.
pub(super) fn day(ctx: &PageContext) -> (DateTime<Utc>, DateTime<Utc>) {
    (beginning(ctx.now()), ctx.now() + TimeDelta::hours(1))
}

/// Returns the counts of the last day by the hour, oldest first.
pub(super) async fn of_day(ctx: &PageContext, webhook: WebhookId) -> Result<Vec<Counts>, Failure> {
    let (from, _) = day(ctx);
    of_hours(ctx, webhook, from, 24, 1).await
}

/// Returns the counts of the hours from then on in this number of equal parts, oldest first.
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

/// Returns the sum of all counters.
pub(super) async fn of_all(ctx: &PageContext, webhook: WebhookId) -> Result<Counts, Failure> {
    let hours = read(ctx, webhook, DateTime::UNIX_EPOCH, ALL).await?;
    Ok(Counts::sum(hours.iter().map(Counts::from)))
}

/// Returns the start of the first hour of a day's counters.
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
        // The webhook was deleted while a page was made.
        Err(ManageError::NotFound) => Ok(Vec::new()),
        counts => Ok(counts?),
    }
}

/// The deliveries that have not ended.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Open {
    queued: usize,
    running: usize,
    /// The number of waiting deliveries that have failed before, and the time at which the first is
    /// due.
    pub retrying: usize,
    pub next: Option<DateTime<Utc>>,
    /// Whether there are more than were counted.
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
        let is_retry = |row: &&Delivery| row.state == DeliveryState::Queued && row.tries > 0;
        let retries = found.rows.iter().filter(is_retry);
        Ok(Self {
            retrying: retries.clone().count(),
            next: retries.map(|delivery| delivery.due).min(),
            queued: found.rows.len() - running,
            running,
            more: found.next.is_some(),
        })
    }

    /// Returns the numbers of waiting and of running deliveries.
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
    fn day_counts_begin_at_first_full_hour() {
        let now: DateTime<Utc> = "2026-03-02T10:59:59.5Z".parse().unwrap();
        let first: DateTime<Utc> = "2026-03-01T11:00:00Z".parse().unwrap();
        assert_eq!(beginning(now), first);
    }
}
