//! Asks the store which lanes have something: work of other processes, of an earlier run, retries.

use std::time::Duration;

use gatepost_storage::StoreError;
use tokio::time::Instant;

use super::part::Dispatcher;
use crate::guard::guarded;

/// The wait after the store failed.
const AFTER_FAILURE: Duration = Duration::from_millis(500);
/// Lanes asked for at a time.
const LANES: u32 = 500;

impl Dispatcher {
    /// Runs until the engine stops.
    pub(super) async fn look_out(&self) {
        let (lanes, lifecycle) = (&self.admission.lanes, &self.worker.lifecycle);
        while lifecycle.is_running() {
            let began = Instant::now();
            let pause = match self.look().await {
                Ok(()) => self.until_next_retry(),
                Err(error) => {
                    guarded(|| tracing::warn!(%error, "could not look for deliveries"));
                    lanes.look();
                    lifecycle.rest(AFTER_FAILURE).await;
                    continue;
                }
            };
            // A list that takes long is asked for at most half of the time.
            lifecycle.rest(began.elapsed()).await;
            tokio::select! {
                () = lanes.asked_to_look() => {}
                () = tokio::time::sleep(pause) => lanes.look_if(pause >= self.timing.poll),
                () = self.store.work_arrived() => lanes.look(),
                () = lifecycle.stopped() => {}
            }
        }
    }

    fn until_next_retry(&self) -> Duration {
        let poll = self.timing.poll;
        match (self.admission.lanes.next_retry(), self.clock.now()) {
            (Some(due), Ok(now)) => (due - now).to_std().unwrap_or_default().min(poll),
            _ => poll,
        }
    }

    /// Asks, if there is a reason.
    async fn look(&self) -> Result<(), StoreError> {
        let (now, lanes) = (self.clock.now()?, &self.admission.lanes);
        if !lanes.take_look(now) {
            return Ok(());
        }
        let resumed = lanes.resumed_before();
        let mut after = None;
        loop {
            let found = self.store.due_lanes(after, LANES, now).await?;
            lanes.found(&found, now);
            after = found.last().map(|due| due.lane);
            if found.len() < LANES as usize {
                break;
            }
            tokio::task::yield_now().await;
        }
        lanes.looked(&resumed);
        lanes.retry_at(self.store.next_due(now).await?);
        Ok(())
    }
}
