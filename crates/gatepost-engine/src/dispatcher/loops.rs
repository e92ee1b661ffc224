//! The dispatcher's loops.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::dependencies::Dispatcher;
use crate::guard::guarded;

/// The pause after the store failed.
const AFTER_FAILURE: Duration = Duration::from_millis(500);

impl Dispatcher {
    /// Runs until the engine stops. Looking for deliveries runs concurrently with claiming: neither
    /// delays the other.
    pub(crate) async fn run(self: Arc<Self>) {
        // Replaces all inquiries of an earlier run of this part.
        self.admission.inquiries.sweep();
        tokio::join!(
            self.look_out(),
            self.sweep_all(),
            self.count_processes(),
            self.claim_all()
        );
    }

    async fn claim_all(self: &Arc<Self>) {
        while self.core.lifecycle.is_running() {
            let pause = match self.pass().await {
                Ok(true) => {
                    tokio::task::yield_now().await;
                    continue;
                }
                Ok(false) => self.until_next_time(),
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
                () = self.admission.woken() => {}
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    fn until_next_time(&self) -> Duration {
        if !self.worker.is_ready() {
            return AFTER_FAILURE;
        }
        let next = self.admission.next_time();
        let next = next.map(|time| time.saturating_duration_since(Instant::now()));
        next.map_or(self.timing.poll, |next| next.min(self.timing.poll))
    }
}
