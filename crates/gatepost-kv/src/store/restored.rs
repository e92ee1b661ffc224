//! The numbers of a store after an earlier state of it was restored.

use chrono::{DateTime, Utc};
use gatepost_storage::StoreError;
use gatepost_storage::owners::SkippedIds;
use webhook_model::{Event, Task, Webhook};

use super::error::Outcome;
use super::kv_store::KvStore;
use super::tx::Tx;
use super::{heads, keys, numbers, outbox, realms, sessions};

/// Changes some rows behind one, and returns the last of them.
type Part = fn(&mut Tx<'_>, Option<i64>, SkippedIds) -> Outcome<Option<i64>>;

impl KvStore {
    /// Moves numbers, revisions and versions beyond those assigned after the backup.
    pub(super) async fn pass_over(&self, now: DateTime<Utc>) -> Result<(), StoreError> {
        let (records, log) = (SkippedIds::of_records(now), SkippedIds::of_log(now));
        self.write(move |tx| {
            for counter in ["audit", numbers::IDS, numbers::TOKENS, outbox::IDS] {
                numbers::pass_over(tx, counter, log)?;
            }
            for counter in ["webhook", "task", "event", realms::VERSIONS] {
                numbers::pass_over(tx, counter, records)?;
            }
            realms::restored(tx)?;
            keys::restored(tx, now)
        })
        .await?;
        while self.write(sessions::end_some).await? {}
        let parts: [Part; 4] = [
            keys::pass_over,
            heads::pass_over::<Webhook>,
            heads::pass_over::<Task>,
            heads::pass_over::<Event>,
        ];
        for part in parts {
            let mut last = None;
            loop {
                last = self.write(move |tx| part(tx, last, records)).await?;
                if last.is_none() {
                    break;
                }
            }
        }
        Ok(())
    }
}
