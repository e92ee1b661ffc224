//! Lets other requests have their turn while one works.

use tokio::task::yield_now;

/// Work between two turns of others, in bytes that are looked at: well below a millisecond.
const TURN: usize = 256 * 1024;

/// Work that was done since others had their turn.
#[derive(Debug, Default)]
pub(crate) struct Turn {
    work: usize,
}

impl Turn {
    /// Counts the work of looking at this many bytes. Tells whether it is time for others.
    pub(crate) fn is_over(&mut self, bytes: usize) -> bool {
        self.work = self.work.saturating_add(bytes);
        let is_over = self.work >= TURN;
        if is_over {
            self.work = 0;
        }
        is_over
    }

    /// Counts the work of looking at this many bytes, and lets others have their turn when it is
    /// time.
    pub(crate) async fn spend(&mut self, bytes: usize) {
        if self.is_over(bytes) {
            yield_now().await;
        }
    }
}
