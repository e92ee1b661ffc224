//! Reads the webhooks of lanes that have something and whose webhook is not at hand.

use std::collections::HashMap;
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
        let (lanes, lifecycle) = (&self.admission.lanes, &self.core.lifecycle);
        while lifecycle.is_running() {
            let (turns, is_cut) = self.next_batch();
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
            } else if is_cut {
                // What was read has its turn before what comes next pushes it out.
                tokio::select! {
                    biased;
                    () = lifecycle.stopped() => {}
                    () = lanes.passed() => {}
                }
            }
        }
    }

    /// Whose webhooks are read next: of each owner no more than are at hand together. `true`: some
    /// were put off for that.
    pub(super) fn next_batch(&self) -> (Vec<Turn>, bool) {
        let next = || self.admission.lanes.next_unread();
        let turns: Vec<Turn> = std::iter::from_fn(next).take(AT_ONCE).collect();
        let (mut batch, mut left, count) = (Vec::new(), HashMap::new(), turns.len());
        for turn in turns {
            let owner = turn.due.owner;
            let fitting = || self.webhooks.fitting(owner);
            let left = left.entry(owner).or_insert_with(fitting);
            if *left == 0 {
                turn.wait(Wait::Read);
            } else {
                *left -= 1;
                batch.push(turn);
            }
        }
        let is_cut = batch.len() < count;
        (batch, is_cut)
    }

    /// Those that can be read now are ready again, and so are all if the store fails.
    pub(super) async fn read(&self, turns: Vec<Turn>) -> Result<(), StoreError> {
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
