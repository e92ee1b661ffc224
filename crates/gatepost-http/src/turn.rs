//! Yielding to other requests during long work.

use tokio::task::yield_now;

/// The work between two yields, in bytes: well below a millisecond.
const TURN: usize = 256 * 1024;

/// The work since the last yield.
#[derive(Debug, Default)]
pub(crate) struct Turn {
    work: usize,
}

impl Turn {
    /// Counts the work for this many bytes. Returns whether it is time to yield.
    pub(crate) fn is_over(&mut self, bytes: usize) -> bool {
        self.work = self.work.saturating_add(bytes);
        let is_over = self.work >= TURN;
        if is_over {
            self.work = 0;
        }
        is_over
    }

    /// Counts the work for this many bytes, and yields when it is time.
    pub(crate) async fn spend(&mut self, bytes: usize) {
        if self.is_over(bytes) {
            yield_now().await;
        }
    }
}
