//! Reads the webhooks of lanes that have something and whose webhook is not at hand.

use std::time::Duration;

use gatepost_storage::StoreError;
use tokio::time::Instant;

use super::part::Dispatcher;
use crate::admission::{Turn, Wait};
use crate::guard::guarded;

/// Webhooks read at a time.
const AT_ONCE: usize = 64;
/// After this time a webhook is read again that could not be read.
const UNREADABLE: Duration = Duration::from_secs(60);
/// The wait after the store failed.
const AFTER_FAILURE: Duration = Duration::from_millis(500);

impl Dispatcher {
    /// Runs until the engine stops.
    pub(super) async fn read_all(&self) {
        let (lanes, lifecycle) = (&self.admission.lanes, &self.worker.lifecycle);
        while lifecycle.is_running() {
            let next = || lanes.next_unread();
            let turns: Vec<Turn> = std::iter::from_fn(next).take(AT_ONCE).collect();
            if turns.is_empty() {
                tokio::select! {
                    biased;
                    () = lifecycle.stopped() => {}
                    () = lanes.asked_to_read() => {}
                }
                continue;
            }
            let read = self.read(turns).await;
            lanes.wake();
            if let Err(error) = read {
                guarded(|| tracing::warn!(%error, "could not read webhooks"));
                lifecycle.rest(AFTER_FAILURE).await;
            }
        }
    }

    /// Those that can be read now are ready again, and so are all if the store fails.
    async fn read(&self, turns: Vec<Turn>) -> Result<(), StoreError> {
        let wanted: Vec<_> = turns
            .iter()
            .map(|turn| (turn.due.lane.webhook, turn.due.revision))
            .collect();
        let found = self.webhooks.get_many(&wanted).await?;
        for turn in turns {
            let id = turn.due.lane.webhook;
            if found.unreadable.contains(&id) {
                turn.wait(Wait::Until(Instant::now() + UNREADABLE));
            } else if found.routes.contains_key(&id) {
                drop(turn);
            } else {
                turn.done();
            }
        }
        Ok(())
    }
}
