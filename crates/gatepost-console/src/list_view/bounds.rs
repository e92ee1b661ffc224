//! How much of a list is read.

/// Rows on a page.
pub(super) const ROWS: usize = 50;
/// Rows among which a search, a filter or an order is worked out at most, and up to which rows are
/// counted.
pub(super) const MOST: usize = 2_000;
