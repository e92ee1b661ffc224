//! Finds what waits, and claims it, lane by lane in turn, as far as there is room.

mod claims;
mod lookout;
mod pass;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use gatepost_storage::webhooks::WebhookStore;
use tokio::time::Instant;

use crate::admission::Admission;
use crate::attempt::Worker;
use crate::clock::EngineClock;
use crate::config::Timing;
use crate::guard::guarded;
use crate::judge::Judge;
use crate::routes::WebhookCache;

/// The wait after the store failed.
const AFTER_FAILURE: Duration = Duration::from_millis(500);

#[derive(Debug)]
pub(crate) struct Dispatcher {
    pub store: Arc<dyn WebhookStore>,
    pub webhooks: Arc<WebhookCache>,
    pub admission: Arc<Admission>,
    pub worker: Arc<Worker>,
    pub judge: Arc<Judge>,
    pub clock: Arc<EngineClock>,
    pub timing: Timing,
}

impl Dispatcher {
    /// Runs until the engine stops. What waits is looked for beside what is claimed: however long
    /// the list of lanes is, it holds up nothing.
    pub(crate) async fn run(self: Arc<Self>) {
        self.admission.lanes.recover();
        tokio::join!(self.look_out(), self.claim_all());
    }

    async fn claim_all(&self) {
        let lanes = &self.admission.lanes;
        while self.worker.lifecycle.is_running() {
            let pause = match self.pass().await {
                Ok(()) if lanes.has_ready() && self.worker.is_ready() => {
                    tokio::task::yield_now().await;
                    continue;
                }
                Ok(()) => self.until_next_time(),
                Err(error) => {
                    guarded(|| tracing::warn!(%error, "could not claim deliveries"));
                    AFTER_FAILURE
                }
            };
            tokio::select! {
                () = lanes.woken() => {}
                () = tokio::time::sleep(pause) => {}
                () = self.worker.lifecycle.stopped() => {}
            }
        }
    }

    fn until_next_time(&self) -> Duration {
        if !self.worker.is_ready() {
            return AFTER_FAILURE;
        }
        let lanes = &self.admission.lanes;
        let next = lanes.next_time();
        let next = next.map(|time| time.saturating_duration_since(Instant::now()));
        let retries = lanes
            .has_retries()
            .then(|| self.admission.retry_pacer.pause());
        let pauses = [next, retries].into_iter().flatten();
        pauses.min().unwrap_or(self.timing.poll)
    }
}
