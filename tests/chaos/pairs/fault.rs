//! Faults of a process.

/// Each holds until it is lifted.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Fault {
    /// The process is killed, and started again when that is lifted.
    Killed,
    /// The server ends as by a crash, and starts again when that is lifted.
    Restarted,
    /// Connections to the database end in the middle, and none are let through. A file has none:
    /// there another process holds its lock.
    Cut,
    /// Nothing can be written.
    DiskFull,
    /// The clock is set back, and right again when that is lifted.
    ClockSet,
    /// The target reads requests and does not answer.
    TargetHangs,
    /// The webhook's token is replaced and the password of the database's role changed, its
    /// sessions ended; the process has the new password when that is lifted.
    Rotated,
}

impl Fault {
    const ALL: [Self; 7] = [
        Self::Killed,
        Self::Restarted,
        Self::Cut,
        Self::DiskFull,
        Self::ClockSet,
        Self::TargetHangs,
        Self::Rotated,
    ];
}

/// One fault, and another while it holds.
pub(super) type Pair = (Fault, Fault);

/// Every two, in both orders.
pub(super) fn all() -> Vec<Pair> {
    let second = |first| Fault::ALL.map(move |second| (first, second));
    let pairs = Fault::ALL.into_iter().flat_map(second);
    pairs.filter(|(first, second)| first != second).collect()
}

pub(super) fn has((first, second): Pair, fault: Fault) -> bool {
    first == fault || second == fault
}
