//! The chores of the leading process, in short steps.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::StoreError;
use gatepost_storage::webhooks::{PurgeBounds, Queues};
use tokio::time::Instant;

use super::chore::Chore;
use super::dependencies::Maintenance;
use crate::guard::guarded;

/// Rows removed or expired in one transaction.
const ROWS: u32 = 500;
/// Queues read in one page.
const QUEUES: u32 = 500;
/// Below this number of partitions ahead a warning is logged.
pub(crate) const PARTITIONS_AHEAD: u32 = 2;

impl Maintenance {
    /// Does one step. Returns whether there is more to do.
    pub(super) async fn step(&self, chore: Chore) -> Result<bool, StoreError> {
        let (store, now) = (&self.core.store, self.core.clock.now()?);
        match chore {
            Chore::PrepareLog => self.prepare_log(now).await,
            Chore::CountQueue => store.count_queue(now).await.map(|_| false),
            Chore::FindQueues => self.find_queues(now).await,
            // Rows that are removed because a clock was set wrong cannot be restored.
            Chore::Expire | Chore::Purge if !self.clock_is_settled().await? => Ok(false),
            Chore::Expire => {
                let held = ago(now, self.retention.held);
                let expired = store.expire_held(held, ROWS, now).await?;
                Ok(expired >= u64::from(ROWS))
            }
            Chore::Purge => {
                let bounds = PurgeBounds {
                    created_before: ago(now, self.retention.deliveries),
                    bytes: self.retention.bytes,
                    counts_before: ago(now, self.retention.counts),
                    occurrences_before: ago(now, self.retention.occurrences),
                };
                Ok(store.purge(&bounds, ROWS, now).await?.more)
            }
            Chore::RemoveGone => self.remove_gone(now).await,
        }
    }

    async fn prepare_log(&self, now: DateTime<Utc>) -> Result<bool, StoreError> {
        let room = self.core.store.prepare_log(now).await?;
        self.led().room = Some(room);
        if let Some(ahead) = room.ahead.filter(|ahead| *ahead < PARTITIONS_AHEAD) {
            guarded(|| tracing::warn!(ahead, "few partitions of the log are ready"));
        }
        Ok(false)
    }

    async fn find_queues(&self, now: DateTime<Utc>) -> Result<bool, StoreError> {
        let after = Queues::Beyond(self.led().queue);
        let page = self.core.store.queues(after, QUEUES, now).await?;
        let queue = self.admission.walked(&page, now);
        self.led().queue = queue;
        Ok(queue.is_some())
    }

    async fn remove_gone(&self, now: DateTime<Utc>) -> Result<bool, StoreError> {
        let (size, began) = (self.led().size, Instant::now());
        let removed = self.core.store.remove_gone(size.rows(), now).await;
        self.led().size = size.after(began.elapsed());
        Ok(removed? >= u64::from(size.rows()))
    }
}

fn ago(now: DateTime<Utc>, time: Duration) -> DateTime<Utc> {
    TimeDelta::from_std(time)
        .ok()
        .and_then(|time| now.checked_sub_signed(time))
        .unwrap_or(DateTime::<Utc>::MIN_UTC)
}
