//! What became of a webhook's deliveries, counted by the hour.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{HourlyCount, RecordId};
use gatepost_storage::{Row, Scope};
use webhook_model::{Activity, Webhook, WebhookId};

use crate::actor::Actor;
use crate::error::ManageError;
use crate::finish::contain;

/// Hours of webhooks that are read to find those that fail.
const MOST_HOURS: u32 = 2_000;

/// Webhooks of which everything fails.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Failing {
    /// Each with what became of its deliveries, those with the most failures first.
    pub webhooks: Vec<(Row<WebhookId, Webhook>, HourlyCount)>,
    /// There may be more.
    pub more: bool,
}

impl Actor {
    /// What became of a webhook's deliveries in the hours from `from` until before `before`:
    /// newest hour first, at most `limit`. Kept longer than the deliveries; what happened in the
    /// last two seconds may not be counted yet.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], failures of store and accounts.
    pub async fn webhook_counts(
        &self,
        webhook: WebhookId,
        from: DateTime<Utc>,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<HourlyCount>, ManageError> {
        contain(async {
            self.own_record(RecordId::Webhook(webhook)).await?;
            let engine = self.engine();
            let counts = engine.hourly_counts(Scope::All, Some(webhook), from, before, limit);
            Ok(counts.await?)
        })
        .await
    }

    /// What became of the deliveries of these webhooks in the hours from `from` until before
    /// `before`, each summed up, as of the newest hour in which something was counted. Those of
    /// which nothing was counted, and those that the caller may not see, are left out.
    ///
    /// # Errors
    /// Failures of store and accounts.
    pub async fn webhook_sums(
        &self,
        ids: impl IntoIterator<Item = WebhookId>,
        from: DateTime<Utc>,
        before: DateTime<Utc>,
    ) -> Result<BTreeMap<WebhookId, HourlyCount>, ManageError> {
        let seen: Vec<_> = self.webhook_names(ids).await?.into_keys().collect();
        contain(async {
            let sums = self.engine().summed_counts(&seen, from, before).await?;
            Ok(sums.into_iter().map(|sum| (sum.webhook, sum)).collect())
        })
        .await
    }

    /// The active webhooks that the caller may see and of which, in the hours from `from` until
    /// before `before`, attempts failed and none succeeded: at most `limit`. The counters of the
    /// newest 2,000 hours of webhooks are looked at.
    ///
    /// # Errors
    /// Failures of store and accounts.
    pub async fn failing_webhooks(
        &self,
        from: DateTime<Utc>,
        before: DateTime<Utc>,
        limit: usize,
    ) -> Result<Failing, ManageError> {
        contain(async {
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
                    // In a tenant there may be webhooks that its administrator may not see.
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
        .await
    }
}

/// The sums of webhooks of which nothing succeeded, those with the most failures first.
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
