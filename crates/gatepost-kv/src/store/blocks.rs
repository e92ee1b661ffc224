//! Numbers that are taken in blocks.

/// Numbers of deliveries and of tokens that are taken, and not given yet.
#[derive(Clone, Default)]
pub(super) struct Blocks {
    pub(super) ids: Block,
    pub(super) tokens: Block,
}

#[derive(Clone, Default)]
pub(super) struct Block {
    /// The number given last, and the last one that is taken.
    pub(super) given: i64,
    pub(super) taken: i64,
}
