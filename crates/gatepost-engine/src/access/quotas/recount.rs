//! Corrects estimates, which become wrong when a process dies before it has written, or retention
//! removes rows. Owners at a limit are counted, and over the quota of the log their oldest
//! deliveries are removed.

use std::sync::Arc;
use std::time::Duration;

use gatepost_ids::OwnerId;
use tokio::time::Instant;

use super::usage::UsageBook;
use crate::guard::guarded;
use crate::lifecycle::Lifecycle;

/// The interval at which owners are looked up for counting.
const LOOK: Duration = Duration::from_secs(1);
/// The rest after a count, in multiples of its time: counting takes at most a tenth of the time.
const REST: u32 = 9;
/// The divisor of the log's quota that gives the part freed by hiding the owner's oldest
/// deliveries.
const FREED: u64 = 8;

impl UsageBook {
    /// Counts the real usage of owners at a limit, until the engine stops.
    pub(in crate::access) async fn recount(self: Arc<Self>, lifecycle: Lifecycle) {
        while lifecycle.is_running() {
            let began = Instant::now();
            if let Some(owner) = self.next_at_limit() {
                self.count(owner).await;
            }
            lifecycle.rest((began.elapsed() * REST).max(LOOK)).await;
        }
    }

    pub(super) async fn count(&self, owner: OwnerId) {
        let quota = self.quota(owner).unwrap_or_default();
        let share = quota.log_bytes - quota.log_bytes / FREED;
        match self.log.recount_usage(owner, share).await {
            Ok(used) => self.is_used(owner, used),
            Err(error) => {
                guarded(|| tracing::warn!(%owner, %error, "could not count usage"));
            }
        }
    }
}
