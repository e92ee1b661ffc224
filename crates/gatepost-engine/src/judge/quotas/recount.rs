//! Estimates go wrong: a process dies before it has written, and retention removes what was logged.
//! Who is at a limit is counted, and over the quota of the log their oldest deliveries leave.

use std::sync::Arc;
use std::time::Duration;

use gatepost_ids::OwnerId;
use tokio::time::Instant;

use super::usage::Usage;
use crate::guard::guarded;
use crate::lifecycle::Lifecycle;

/// How often is looked for owners to count.
const LOOK: Duration = Duration::from_secs(1);
/// Counting may take a tenth of the time.
const REST: u32 = 9;
/// The part of the log's quota that is free again once the owner's oldest deliveries are hidden.
const FREED: u64 = 8;

impl Usage {
    /// Counts what owners at a limit really use, until the engine stops.
    pub(in crate::judge) async fn recount(self: Arc<Self>, lifecycle: Lifecycle) {
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
