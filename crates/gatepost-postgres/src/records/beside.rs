//! A webhook that has become one in order: what runs of it was claimed together with deliveries of
//! others. It is noted once, so that no claim has to look for it among all that runs.

use std::time::Duration;

use tokio::time::{Instant, sleep};
use webhook_model::WebhookId;

use crate::error::{Failure, Result};
use crate::store::PostgresStore;

const CLAIMING: &str = include_str!("../sql/records/claiming.sql");
const NOTE: &str = include_str!("../sql/records/note_beside.sql");
/// How long claims of before are waited for; they take milliseconds.
const PATIENCE: Duration = Duration::from_secs(2);
/// The pause between two looks.
const PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

impl PostgresStore {
    /// Called when the edit is stored, with the revision that it made. Until this is done, or for
    /// 15 s, nothing of the webhook is claimed; where it cannot be done, claims look through all
    /// that ran when it was edited.
    pub(super) async fn note_beside(&self, webhook: WebhookId, revision: i64) {
        if let Err(failure) = self.try_to_note(webhook, revision).await {
            tracing::warn!(
                webhook = webhook.0,
                cause = failure.cause(),
                "what runs of a webhook that has become one in order is not noted"
            );
        }
    }

    /// A claim that has not read of the order may still take something: what it takes is seen once
    /// its transaction has ended.
    async fn try_to_note(&self, webhook: WebhookId, revision: i64) -> Result<()> {
        let until = Instant::now() + PATIENCE;
        let (mut claiming, mut pause) = (self.claiming(None).await?, PAUSE);
        while !claiming.is_empty() {
            if Instant::now() >= until {
                return Err(Failure::unavailable("claims of before go on"));
            }
            sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
            claiming = self.claiming(Some(claiming)).await?;
        }
        self.db().execute(NOTE, &[&webhook.0, &revision]).await?;
        Ok(())
    }

    /// The transactions under way that may claim, or those of them that are among these.
    async fn claiming(&self, among: Option<Vec<String>>) -> Result<Vec<String>> {
        let rows = self.db().query(CLAIMING, &[&among]).await?;
        rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
    }
}
