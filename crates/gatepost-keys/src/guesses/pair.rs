//! Who is tried, and from where.

/// An account and the network that it is tried from, by their hashes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub(super) account: u64,
    pub(super) network: u64,
}
