//! The chores that one process at a time does for all, and their intervals.

use std::time::Duration;

/// A batch that took longer was too large for other writers. A store in a file divides it into
/// shorter transactions.
const LONG: Duration = Duration::from_millis(20);
/// After a batch that took less, the next is larger.
const SHORT: Duration = Duration::from_millis(10);
const SMALLEST: u32 = 50;
const LARGEST: u32 = 2_000;
/// The pause between two transactions, so that others can write.
pub(super) const BREATH: Duration = Duration::from_millis(20);

/// In the order in which they are done when all are due.
pub(super) const CHORES: [Chore; 6] = [
    Chore::PrepareLog,
    Chore::CountQueue,
    Chore::FindQueues,
    Chore::Expire,
    Chore::Purge,
    Chore::RemoveGone,
];

/// Maintenance that one process at a time does for all.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Chore {
    /// Creates partitions of the log for the future.
    PrepareLog,
    /// Counts pending deliveries.
    CountQueue,
    /// Walks over all queues slowly, for deliveries without a notice.
    FindQueues,
    /// Ends deliveries that were held for too long.
    Expire,
    /// Removes old rows.
    Purge,
    /// Removes deleted rows, which are only marked so far.
    RemoveGone,
}

/// The number of deleted rows that are removed at a time.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct BatchSize(u32);

impl Chore {
    /// Returns the pause after a step that took this time. Counting takes at most a hundredth of
    /// the time, removing deleted rows a tenth, and old ones half of it. `more`: the step has left
    /// work.
    pub(super) fn pause(self, took: Duration, more: bool) -> Duration {
        let seconds = Duration::from_secs;
        match self {
            Self::PrepareLog => seconds(10),
            Self::CountQueue => (took * 100).max(seconds(5)),
            Self::FindQueues if more => seconds(1),
            Self::FindQueues => seconds(5),
            Self::Expire | Self::Purge if more => took.max(BREATH),
            Self::Expire | Self::Purge => seconds(60),
            Self::RemoveGone if more => (took * 9).max(BREATH),
            Self::RemoveGone => (took * 9).max(seconds(5)),
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::PrepareLog => "prepare log",
            Self::CountQueue => "count queue",
            Self::FindQueues => "find queues",
            Self::Expire => "expire",
            Self::Purge => "purge",
            Self::RemoveGone => "remove deleted",
        }
    }
}

impl Default for BatchSize {
    fn default() -> Self {
        Self(SMALLEST)
    }
}

impl BatchSize {
    pub(super) fn rows(self) -> u32 {
        self.0
    }

    /// Returns the next size, after a batch that took that long.
    pub(super) fn after(self, took: Duration) -> Self {
        let next = if took > LONG {
            self.0 / 2
        } else if took < SHORT {
            self.0.saturating_mul(2)
        } else {
            self.0
        };
        Self(next.clamp(SMALLEST, LARGEST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batch_size_shrinks_when_slow_grows_when_fast() {
        let size = BatchSize(SMALLEST);
        assert_eq!(size.after(SHORT), size);
        assert_eq!(size.after(LONG), size);
        let grown = (0..20).fold(size, |size, _| size.after(Duration::ZERO));
        assert_eq!(grown, BatchSize(LARGEST));
        let shrunk = (0..20).fold(grown, |size, _| size.after(LONG * 2));
        assert_eq!(shrunk, BatchSize(SMALLEST));
    }
}
