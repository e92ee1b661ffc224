//! Limits of the API.

use crate::query::filter;

/// How much one request may ask for.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of a request body; more is answered 413. Default 1 MiB and 64 KiB: a message of 1 MiB
    /// fits with its envelope.
    pub body: usize,
    /// Rows of one answer, or `limit + offset`; more is answered 422. Default 50,000.
    pub rows: usize,
    /// Bytes of a filter. Default 16 KiB.
    pub filter_bytes: usize,
    /// Comparisons in a filter. Default 256.
    pub filter_terms: usize,
    /// Nesting of parentheses in a filter. Default 32.
    pub filter_depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        let filter = filter::Limits::default();
        Self {
            body: 1024 * 1024 + 64 * 1024,
            rows: 50_000,
            filter_bytes: filter.bytes,
            filter_terms: filter.terms,
            filter_depth: filter.depth,
        }
    }
}

impl Limits {
    pub(crate) fn filter(&self) -> filter::Limits {
        filter::Limits {
            bytes: self.filter_bytes,
            terms: self.filter_terms,
            depth: self.filter_depth,
        }
    }
}
