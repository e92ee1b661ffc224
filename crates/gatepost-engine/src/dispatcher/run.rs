//! The loops.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::part::Dispatcher;
use crate::admission::OFFER_EVERY;
use crate::guard::guarded;

/// The wait after the store failed.
const AFTER_FAILURE: Duration = Duration::from_millis(500);

impl Dispatcher {
    /// Runs until the engine stops. What waits is looked for, and webhooks are read, beside what is
    /// claimed: however long that takes, it holds up nothing.
    pub(crate) async fn run(self: Arc<Self>) {
        self.admission.lanes.recover();
        // Whatever was to be asked when the last one ended.
        self.admission.lanes.inquiries.sweep();
        tokio::join!(
            self.look_out(),
            self.sweep_all(),
            self.hold_lots(),
            self.read_all(),
            self.claim_all()
        );
    }

    async fn claim_all(&self) {
        let (lanes, mut offered) = (&self.admission.lanes, Instant::now());
        while self.core.lifecycle.is_running() {
            if offered.elapsed() >= OFFER_EVERY {
                self.admission.offer_trials();
                offered = Instant::now();
            }
            let pause = match self.pass().await {
                Ok(()) if lanes.has_ready() && self.worker.is_ready() => {
                    tokio::task::yield_now().await;
                    continue;
                }
                Ok(()) => self.until_next_time(),
                Err(error) => {
                    guarded(|| tracing::warn!(%error, "could not claim deliveries"));
                    // The permits that were given back have woken this loop by now.
                    self.core.lifecycle.rest(AFTER_FAILURE).await;
                    continue;
                }
            };
            tokio::select! {
                biased;
                () = self.core.lifecycle.stopped() => {}
                () = lanes.woken() => {}
                () = tokio::time::sleep(pause) => {}
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
        let later = lanes.next_later().zip(self.core.clock.now().ok());
        let later = later.map(|(due, now)| (due - now).to_std().unwrap_or_default());
        let trials = lanes.has_line().then_some(OFFER_EVERY);
        let pauses = [next, later, retries, trials].into_iter().flatten();
        pauses.fold(self.timing.poll, Duration::min)
    }
}
