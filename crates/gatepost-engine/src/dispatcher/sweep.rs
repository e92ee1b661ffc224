//! Walks over all queues: once at the start and whenever anything may have changed. The leading
//! process walks slowly all the time, for deliveries without a notice.

use std::time::Duration;

use gatepost_storage::StoreError;
use gatepost_storage::webhooks::Queues;
use tokio::time::Instant;

use super::dependencies::Dispatcher;
use crate::guard::guarded;

/// Queues read in one page.
const PAGE: u32 = 500;
/// The pause after the store failed.
const AFTER_FAILURE: Duration = Duration::from_millis(500);
/// The rest after each page, in multiples of its time: the first walk, in which the engine finds
/// all queues, takes half of the time, and each later one a tenth.
const REST: (u32, u32) = (1, 9);

impl Dispatcher {
    /// Runs until the engine stops.
    pub(super) async fn sweep_all(&self) {
        let (inquiries, lifecycle) = (&self.admission.inquiries, &self.core.lifecycle);
        let mut rest = REST.0;
        while lifecycle.is_running() {
            if !inquiries.take_sweep() {
                tokio::select! {
                    biased;
                    () = lifecycle.stopped() => {}
                    () = inquiries.sweep_wanted() => {}
                }
            } else if let Err(error) = self.sweep(rest).await {
                guarded(|| tracing::warn!(%error, "could not sweep the queues"));
                inquiries.sweep();
                lifecycle.rest(AFTER_FAILURE).await;
            } else {
                rest = REST.1;
            }
        }
    }

    /// Walks over all queues, once.
    async fn sweep(&self, rest: u32) -> Result<(), StoreError> {
        let (mut after, lifecycle) = (None, &self.core.lifecycle);
        while lifecycle.is_running() {
            let began = Instant::now();
            let now = self.core.clock.now()?;
            let beyond = Queues::Beyond(after);
            let page = self.core.store.queues(beyond, PAGE, now).await?;
            after = self.admission.walked(&page, now);
            if after.is_none() {
                break;
            }
            lifecycle.rest(began.elapsed() * rest).await;
            tokio::task::yield_now().await;
        }
        Ok(())
    }
}
