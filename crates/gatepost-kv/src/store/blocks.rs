//! Numbers that are reserved in blocks.

/// The numbers of deliveries and tokens that are reserved and not assigned yet.
#[derive(Clone, Default)]
pub(super) struct Blocks {
    pub(super) ids: Block,
    pub(super) tokens: Block,
}

#[derive(Clone, Default)]
pub(super) struct Block {
    /// The number assigned last, and the last one that is reserved.
    pub(super) given: i64,
    pub(super) taken: i64,
}
