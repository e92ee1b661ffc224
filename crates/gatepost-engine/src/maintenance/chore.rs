//! What one process at a time does for all, and how often.

use std::time::Duration;

/// A bite that took longer was too large for those who want to write. A store in a file cuts it
/// into shorter transactions of its own.
const LONG: Duration = Duration::from_millis(20);
/// After one that took less, the next is larger.
const SHORT: Duration = Duration::from_millis(10);
const SMALLEST: u32 = 50;
const LARGEST: u32 = 2_000;
/// Between two transactions, so that others can write.
pub(super) const BREATH: Duration = Duration::from_millis(20);

/// In the order in which they are done when all are due.
pub(super) const CHORES: [Chore; 6] = [
    Chore::PrepareLog,
    Chore::CountQueue,
    Chore::FindLanes,
    Chore::Expire,
    Chore::Purge,
    Chore::RemoveGone,
];

/// Something that one process at a time does for all.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Chore {
    /// Makes room in the log for what comes.
    PrepareLog,
    /// Counts what waits.
    CountQueue,
    /// Walks over all lanes slowly, for what nobody said.
    FindLanes,
    /// Ends what was held for too long.
    Expire,
    /// Removes what is old.
    Purge,
    /// Removes what was deleted, and only marked so.
    RemoveGone,
}

/// How many rows that are gone are removed at a time.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Bite(u32);

impl Chore {
    /// How long it rests after a step that took this time. Counting takes a hundredth of the time
    /// at most, removing what is gone a tenth, and what is old half of it. `more`: the step has
    /// left something to do.
    pub(super) fn pause(self, took: Duration, more: bool) -> Duration {
        let seconds = Duration::from_secs;
        match self {
            Self::PrepareLog => seconds(10),
            Self::CountQueue => (took * 100).max(seconds(5)),
            Self::FindLanes if more => seconds(1),
            Self::FindLanes => seconds(5),
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
            Self::FindLanes => "find lanes",
            Self::Expire => "expire",
            Self::Purge => "purge",
            Self::RemoveGone => "remove gone",
        }
    }
}

impl Default for Bite {
    fn default() -> Self {
        Self(SMALLEST)
    }
}

impl Bite {
    pub(super) fn rows(self) -> u32 {
        self.0
    }

    /// The next, after this one took that long.
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
    fn bites_shrink_while_they_take_long_and_grow_while_they_do_not() {
        let bite = Bite(SMALLEST);
        assert_eq!(bite.after(SHORT), bite);
        assert_eq!(bite.after(LONG), bite);
        let grown = (0..20).fold(bite, |bite, _| bite.after(Duration::ZERO));
        assert_eq!(grown, Bite(LARGEST));
        let shrunk = (0..20).fold(grown, |bite, _| bite.after(LONG * 2));
        assert_eq!(shrunk, Bite(SMALLEST));
    }
}
