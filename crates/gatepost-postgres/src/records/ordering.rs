//! The switch of a webhook to delivery in order: earlier claims may still run.

use std::time::Duration;

use tokio::time::timeout;
use webhook_model::WebhookId;

use crate::error::Result;
use crate::store::PostgresStore;

const ORDERED: &str = sql!("records/ordered");
/// How long an edit waits for earlier claims, which take milliseconds.
const PATIENCE: Duration = Duration::from_secs(2);

impl PostgresStore {
    /// Begins delivery in order after an edit with this revision was stored. Nothing of the webhook
    /// is claimed until the switch is complete, for 105 s at most. If the wait times out, the
    /// switch is completed in the background soon after.
    pub(super) async fn begin_order(&self, webhook: WebhookId, revision: i64) {
        let store = self.clone();
        let begun = tokio::spawn(async move {
            if let Err(failure) = store.begin_after_claims(webhook, revision).await {
                tracing::warn!(
                    webhook = webhook.0,
                    cause = failure.cause(),
                    "nothing is claimed yet of a webhook that has become one in order"
                );
            }
        });
        // After a timeout the task continues in the background.
        let _ = timeout(PATIENCE, begun).await;
    }

    /// Waits for claims that have not read the new order and may still take something: their rows
    /// are visible when their transactions have ended.
    async fn begin_after_claims(&self, webhook: WebhookId, revision: i64) -> Result<()> {
        self.db().wait_for_writers().await?;
        self.db().execute(ORDERED, &[&webhook.0, &revision]).await?;
        Ok(())
    }
}
