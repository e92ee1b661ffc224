//! How large a filter may be.

/// How large a filter may be. A filter beyond them is refused with 422 before any row is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FilterLimits {
    /// Bytes of the text.
    pub bytes: usize,
    /// Comparisons in it.
    pub terms: usize,
    /// Parentheses within parentheses.
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
