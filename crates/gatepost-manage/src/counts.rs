//! Hourly counts of a webhook's outcomes.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{HourlyCount, RecordId};
use gatepost_storage::{Row, Scope};
use webhook_model::{Activity, Webhook, WebhookId};

use crate::actor::Actor;
use crate::completion::{Answer, contain};

/// The number of webhook hours that are read to find failing webhooks.
const MOST_HOURS: u32 = 2_000;

/// Webhooks whose attempts all fail.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Failing {
    /// The webhooks with their counts, those with the most failures first.
    pub webhooks: Vec<(Row<WebhookId, Webhook>, HourlyCount)>,
    /// Whether there may be more.
    pub more: bool,
}

impl Actor {
    /// Returns the outcomes of a webhook's deliveries in the hours from `from` until before
    /// `before`: newest hour first, at most `limit`. Counts are kept longer than deliveries; the
    /// last two seconds may not be counted yet.
    ///
    /// # Errors
    /// [`NotFound`](crate::ManageError::NotFound), failures of store and accounts.
    pub fn webhook_counts(
        &self,
        webhook: WebhookId,
        from: DateTime<Utc>,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Answer<'_, Vec<HourlyCount>> {
        contain(async move {
            self.own_record(RecordId::Webhook(webhook)).await?;
            let engine = self.engine();
            let counts = engine.hourly_counts(Scope::All, Some(webhook), from, before, limit);
            Ok(counts.await?)
        })
    }

    /// Returns the outcomes of each of these webhooks, summed over the hours from `from` until
    /// before `before`, with the newest hour that has a count. Webhooks without counts, and those
    /// that the caller may not see, are left out.
    ///
    /// # Errors
    /// Failures of store and accounts.
    pub fn webhook_sums(
        &self,
        ids: impl IntoIterator<Item = WebhookId>,
        from: DateTime<Utc>,
        before: DateTime<Utc>,
    ) -> Answer<'_, BTreeMap<WebhookId, HourlyCount>> {
        let seen = self.named_webhooks(ids);
        Box::pin(async move {
            let seen: Vec<_> = seen.await?.into_keys().collect();
            contain(async {
                let sums = self.engine().summed_counts(&seen, from, before).await?;
                Ok(sums.into_iter().map(|sum| (sum.webhook, sum)).collect())
            })
            .await
        })
    }

    /// Returns the active webhooks that the caller may see and whose attempts in the hours from
    /// `from` until before `before` all failed: at most `limit`. The counters of the newest 2,000
    /// webhook hours are read.
    ///
    /// # Errors
    /// Failures of store and accounts.
    pub fn failing_webhooks(
        &self,
        from: DateTime<Utc>,
        before: DateTime<Utc>,
        limit: usize,
    ) -> Answer<'_, Failing> {
        contain(async move {
            let scope = self.authority().scope();
            let engine = self.engine();
            let hours = engine.hourly_counts(scope, None, from, before, MOST_HOURS);
            let hours = hours.await?;
            let mut more = hours.len() >= MOST_HOURS as usize;
            let mut failing = failing(&hours);
            more |= failing.len() > limit;
            failing.truncate(limit);
            let ids: Vec<_> = failing.iter().map(|count| count.webhook).collect();
            let (mut rows, mut authority) = (BTreeMap::new(), self.authority());
            if !ids.is_empty() {
                for row in engine.webhooks(&ids).await? {
                    let active = row.value.activity == Activity::Active;
                    // A tenant may contain webhooks that its administrator may not see.
                    if active && authority.may_manage(row.owner).await? {
                        rows.insert(row.id, row);
                    }
                }
            }
            let found = failing.into_iter();
            let webhooks = found.filter_map(|count| Some((rows.remove(&count.webhook)?, count)));
            Ok(Failing {
                webhooks: webhooks.collect(),
                more,
            })
        })
    }
}

/// Returns the sums of webhooks without a success, those with the most failures first.
fn failing(hours: &[HourlyCount]) -> Vec<HourlyCount> {
    let mut of: BTreeMap<WebhookId, Vec<HourlyCount>> = BTreeMap::new();
    for hour in hours {
        of.entry(hour.webhook).or_default().push(*hour);
    }
    let sums = of.values().filter_map(|hours| HourlyCount::sum(hours));
    let failures = |count: &HourlyCount| count.failed.saturating_add(count.retried);
    let mut failing: Vec<_> = sums
        .filter(|sum| sum.sent == 0 && failures(sum) > 0)
        .collect();
    failing.sort_by_key(|sum| (std::cmp::Reverse(failures(sum)), sum.webhook));
    failing
}
