//! A webhook that becomes one in order: what was claimed before may still run.

use std::time::Duration;

use tokio::time::timeout;
use webhook_model::WebhookId;

use crate::error::Result;
use crate::store::PostgresStore;

const ORDERED: &str = include_str!("../sql/records/ordered.sql");
/// How long an edit waits for claims of before, which take milliseconds.
const PATIENCE: Duration = Duration::from_secs(2);

impl PostgresStore {
    /// Called when the edit is stored, with the revision that it made. Until this is done, which it
    /// is soon after where it takes longer, or for 105 s, nothing of the webhook is claimed.
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
        // Where that is its end, it goes on by itself.
        let _ = timeout(PATIENCE, begun).await;
    }

    /// A claim that has not read of the order may still take something: what it takes is seen once
    /// its transaction has ended.
    async fn begin_after_claims(&self, webhook: WebhookId, revision: i64) -> Result<()> {
        self.db().wait_for_writers().await?;
        self.db().execute(ORDERED, &[&webhook.0, &revision]).await?;
        Ok(())
    }
}
