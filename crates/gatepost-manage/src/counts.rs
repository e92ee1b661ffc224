//! What became of a webhook's deliveries, counted by the hour.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{HourlyCount, RecordId, WebhookQuery};
use gatepost_storage::{Row, Scope};
use webhook_model::{Webhook, WebhookId};

use crate::actor::Actor;
use crate::error::ManageError;
use crate::finish::contain;
use crate::listed::Listed;

/// A webhook, and what became of its deliveries in some hours; `None` of none.
pub type Counted = (Row<WebhookId, Webhook>, Option<HourlyCount>);

impl Actor {
    /// As [`webhooks`](Self::webhooks), with what became of the deliveries of each in the hours
    /// from `from` until before `before`: one call of the store more for the page, however long it
    /// is.
    ///
    /// # Errors
    /// Failures of store and accounts.
    pub async fn webhooks_counted(
        &self,
        query: &WebhookQuery,
        from: DateTime<Utc>,
        before: DateTime<Utc>,
    ) -> Result<Listed<Counted, WebhookId>, ManageError> {
        let Listed { rows, next } = self.webhooks(query).await?;
        let ids: Vec<_> = rows.iter().map(|row| row.id).collect();
        let sums = contain(async { Ok(self.engine().summed_counts(&ids, from, before).await?) });
        let mut sums = sums.await?.into_iter().peekable();
        let counted = rows.into_iter().map(|row| {
            let sum = sums.next_if(|sum| sum.webhook == row.id);
            (row, sum)
        });
        let rows = counted.collect();
        Ok(Listed { rows, next })
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
