//! The size of one commit.

/// The maximum number of rows that one commit removes.
pub(crate) const BITE: usize = 64;

pub(super) fn count(rows: usize) -> u32 {
    u32::try_from(rows).unwrap_or(u32::MAX)
}
