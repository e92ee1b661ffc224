//! The limits of a filter.

/// The limits of a filter. A filter beyond them is refused with 422 before any row is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FilterLimits {
    /// The size of the text in bytes.
    pub bytes: usize,
    /// The number of comparisons.
    pub terms: usize,
    /// The nesting of parentheses.
    pub depth: usize,
}

impl Default for FilterLimits {
    fn default() -> Self {
        Self {
            bytes: 16 * 1024,
            terms: 256,
            depth: 32,
        }
    }
}
