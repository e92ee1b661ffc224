//! What has to be done now and then.

mod clock;
mod failing;
mod jump;
mod runs;

use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
pub(crate) use clock::clock_offset;
pub(crate) use failing::Failing;
use gatepost_storage::StoreError;
use gatepost_storage::webhooks::{PurgeBounds, Reclaimed};
use jump::Jumps;
pub(crate) use runs::Runs;

use crate::engine::Inner;

/// Rows removed, reclaimed or expired in one transaction.
const BITE: u32 = 500;
/// Between two looks at leases that ran out.
const RECLAIM: Duration = Duration::from_secs(1);
/// Between two rounds of the slower chores.
const ROUND: Duration = Duration::from_secs(60);
/// Between two bites: others want to write, too.
const BREATH: Duration = Duration::from_millis(20);

impl Inner {
    /// Takes back lost claims each second and writes when tasks last ran, until the engine stops.
    pub(crate) async fn tend(self: Arc<Self>) {
        let mut jumps = Jumps::watch(self.clock.clone(), self.limits.lease_margin);
        while self.is_running() {
            if jumps.has_jumped() {
                self.compare_clocks().await;
            }
            if jumps.is_settled()
                && let Err(error) = self.reclaim().await
            {
                tracing::warn!(%error, "lost claims cannot be taken back");
            }
            self.flush_runs().await;
            metrics::gauge!("gatepost_in_flight").set(self.slots.in_flight() as f64);
            self.rest(RECLAIM).await;
        }
    }

    /// Expires, purges and compares clocks each minute, until the engine stops.
    pub(crate) async fn tidy(self: Arc<Self>) {
        while self.is_running() {
            if let Err(error) = self.remove_old().await {
                tracing::warn!(%error, "the delivery log cannot be tended");
            }
            self.rest(ROUND).await;
            self.compare_clocks().await;
        }
    }

    async fn rest(&self, time: Duration) {
        tokio::select! {
            () = tokio::time::sleep(time) => {}
            () = self.stopped() => {}
        }
    }

    /// Fans out what hosts wrote into the outbox, until the engine stops.
    pub(crate) async fn drain(self: Arc<Self>) {
        while self.is_running() {
            match self.drain_outbox().await {
                Ok(0) => {}
                Ok(_) => continue,
                Err(error) => tracing::warn!(%error, "the outbox cannot be drained"),
            }
            tokio::select! {
                () = tokio::time::sleep(self.limits.poll / 4) => {}
                () = self.store.work_arrived() => {}
                () = self.outbox.notified() => {}
                () = self.stopped() => {}
            }
        }
    }

    async fn reclaim(&self) -> Result<(), StoreError> {
        loop {
            let Reclaimed { requeued, ended } = self.store.reclaim(BITE, self.now()).await?;
            if requeued + ended > 0 {
                metrics::counter!("gatepost_lost_claims_total").increment(requeued + ended);
                tracing::warn!(
                    requeued,
                    ended,
                    "claims of workers that died were taken back"
                );
                self.lanes.look_now();
            }
            if requeued + ended < u64::from(BITE) {
                return Ok(());
            }
        }
    }

    async fn remove_old(&self) -> Result<(), StoreError> {
        let now = self.now();
        let ago = |time: Duration| {
            TimeDelta::from_std(time)
                .ok()
                .and_then(|t| now.checked_sub_signed(t))
                .unwrap_or(chrono::DateTime::<chrono::Utc>::MIN_UTC)
        };
        let held = ago(self.keep.held);
        while self.is_running() && self.store.expire_held(held, BITE, now).await? == u64::from(BITE)
        {
            self.rest(BREATH).await;
        }
        let keep = PurgeBounds {
            created_before: ago(self.keep.deliveries),
            newest_per_webhook: self.keep.deliveries_per_webhook,
            occurrences_before: ago(self.keep.occurrences),
        };
        while self.is_running() && self.store.purge(&keep, BITE, now).await? == u64::from(BITE) {
            self.rest(BREATH).await;
        }
        Ok(())
    }
}
