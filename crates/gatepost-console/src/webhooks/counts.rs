//! What became of a webhook's deliveries: sums of the counters of its hours.

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_manage::ManageError;
use gatepost_storage::webhooks::HourlyCount;
use webhook_model::WebhookId;

use crate::context::PageContext;
use crate::failure::Failure;
pub(super) use crate::layout::grouped;

/// How many hours a day's sum has, the one that has begun included.
pub(super) const DAY: usize = 24;
/// Hours of which counters are summed up at most: more than a year.
const ALL: u32 = 10_000;

/// Deliveries that ended, and attempts after which another was to follow.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct Counts {
    pub sent: u64,
    pub failed: u64,
    pub retried: u64,
}

impl Counts {
    pub(super) fn add(&mut self, more: Self) {
        self.sent = self.sent.saturating_add(more.sent);
        self.failed = self.failed.saturating_add(more.failed);
        self.retried = self.retried.saturating_add(more.retried);
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
        }
    }
}

/// The hours of the last day: from then, until before then.
pub(super) fn day(ctx: &PageContext) -> (DateTime<Utc>, DateTime<Utc>) {
    (beginning(ctx.now()), ctx.now() + TimeDelta::hours(1))
}

/// The last day by the hour, oldest first.
pub(super) async fn of_day(
    ctx: &PageContext,
    webhook: WebhookId,
) -> Result<[Counts; DAY], Failure> {
    let (from, _) = day(ctx);
    let mut hours = [Counts::default(); DAY];
    for hour in read(ctx, webhook, from, u32::try_from(DAY).unwrap_or(ALL)).await? {
        let at = usize::try_from((hour.hour - from).num_hours()).unwrap_or_default();
        if let Some(counts) = hours.get_mut(at) {
            counts.add(Counts::from(&hour));
        }
    }
    Ok(hours)
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
