//! What became of a webhook's deliveries, counted by the hour.

use chrono::{DateTime, Utc};
use gatepost_storage::Scope;
use gatepost_storage::webhooks::{HourlyCount, RecordId};
use webhook_model::WebhookId;

use crate::actor::Actor;
use crate::error::ManageError;
use crate::finish::contain;

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
}
