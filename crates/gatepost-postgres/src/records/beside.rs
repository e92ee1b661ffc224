//! A webhook that has become one in order: what runs of it was claimed together with deliveries of
//! others. It is noted once, so that no claim has to look for it among all that runs.

use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};
use webhook_model::WebhookId;

use crate::error::{Failure, Result};
use crate::store::PostgresStore;

const CLAIMING: &str = include_str!("../sql/records/claiming.sql");
const NOTE: &str = include_str!("../sql/records/note_beside.sql");
const END: &str = include_str!("../sql/records/end_beside.sql");
/// How long claims of before are waited for; they take milliseconds.
const PATIENCE: Duration = Duration::from_secs(2);
/// The pause between two looks.
const PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(50);
/// How often a note is tried where a lease is made beside it.
const TRIES: usize = 3;
/// Between two looks whether all that was noted has ended, from the first on.
const LOOKS: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(5));
/// No delivery runs for longer than its lease.
const LONGEST: Duration = Duration::from_secs(600);

impl PostgresStore {
    /// Called when the edit is stored, with the revision that it made. Until this is done, or for
    /// 105 s, nothing of the webhook is claimed; where it cannot be done, claims look through all
    /// that ran when it was edited.
    pub(super) async fn note_beside(&self, webhook: WebhookId, revision: i64) {
        let noted = self.try_to_note(webhook, revision).await;
        if let Err(failure) = &noted {
            tracing::warn!(
                webhook = webhook.0,
                cause = failure.cause(),
                "what runs of a webhook that has become one in order is not noted yet"
            );
        }
        let store = self.clone();
        tokio::spawn(async move {
            let ended = store.end_beside(webhook, revision, noted.is_ok());
            // Who settles the last of it does not know that the webhook is in order now.
            if timeout(LONGEST, ended).await.is_ok() {
                store.notifier().webhook(webhook);
            }
        });
    }

    /// Returns once what was noted has ended and is forgotten, or nothing is to be done.
    async fn end_beside(&self, webhook: WebhookId, revision: i64, mut is_noted: bool) {
        let (mut pause, longest) = LOOKS;
        loop {
            if is_noted {
                match self.db().execute(END, &[&webhook.0]).await {
                    Ok(0) => {}
                    Ok(_) | Err(_) => return,
                }
            } else {
                is_noted = self.try_to_note(webhook, revision).await.is_ok();
            }
            sleep(pause).await;
            pause = (pause * 2).min(longest);
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
        for _ in 0..TRIES {
            if self.db().execute(NOTE, &[&webhook.0, &revision]).await? > 0 {
                break;
            }
        }
        Ok(())
    }

    /// The transactions under way that may claim, or those of them that are among these.
    async fn claiming(&self, among: Option<Vec<String>>) -> Result<Vec<String>> {
        let rows = self.db().query(CLAIMING, &[&among]).await?;
        rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
    }
}
