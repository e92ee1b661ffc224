//! Faults of a process.

/// A fault, which holds until it is lifted.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Fault {
    /// The process is killed, and started again at the end of the fault.
    Killed,
    /// The server ends as by a crash, and starts again at the end of the fault.
    Restarted,
    /// Connections to the database end during use, and none are let through. A file has none: there
    /// another process holds its lock.
    Cut,
    /// Nothing can be written.
    DiskFull,
    /// The clock is set back, and right again at the end of the fault.
    ClockSet,
    /// The target reads requests and does not answer.
    TargetHangs,
    /// The webhook's token is replaced and the password of the database's role changed, its
    /// sessions ended; the process has the new password at the end of the fault.
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

/// Returns every two, in both orders.
pub(super) fn all() -> Vec<Pair> {
    let second = |first| Fault::ALL.map(move |second| (first, second));
    let pairs = Fault::ALL.into_iter().flat_map(second);
    pairs.filter(|(first, second)| first != second).collect()
}

pub(super) fn has((first, second): Pair, fault: Fault) -> bool {
    first == fault || second == fault
}
