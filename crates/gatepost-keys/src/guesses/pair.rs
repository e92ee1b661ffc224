//! The account and the network of an attempt.

/// An account and the network of the attempt, by their hashes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub(super) account: u64,
    pub(super) network: u64,
}
