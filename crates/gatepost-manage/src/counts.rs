//! What became of a webhook's deliveries, counted by the hour.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use gatepost_storage::Scope;
use gatepost_storage::webhooks::{HourlyCount, RecordId};
use webhook_model::WebhookId;

use crate::actor::Actor;
use crate::error::ManageError;
use crate::finish::contain;

impl Actor {
    /// What became of the deliveries of each of these webhooks in the hours from `from` until
    /// before `before`, of those that the caller may see and of which anything is counted: two
    /// calls of the store, however many webhooks there are.
    ///
    /// # Errors
    /// Failures of store and accounts.
    pub async fn webhook_sums(
        &self,
        webhooks: impl IntoIterator<Item = WebhookId>,
        from: DateTime<Utc>,
        before: DateTime<Utc>,
    ) -> Result<BTreeMap<WebhookId, HourlyCount>, ManageError> {
        let names = self.webhook_names(webhooks).await?;
        let ids: Vec<_> = names.into_keys().collect();
        contain(async {
            let sums = self.engine().summed_counts(&ids, from, before).await?;
            Ok(sums.into_iter().map(|sum| (sum.webhook, sum)).collect())
        })
        .await
    }

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
}
