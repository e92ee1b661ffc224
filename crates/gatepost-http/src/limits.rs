//! How much one request may ask for.

use crate::query::FilterLimits;

/// How much one request may ask for.
///
/// ```
/// let limits = gatepost_http::Limits::default().with_rows(1_000).with_filter_terms(32);
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of a request body; more is refused with 413. Default 1 MiB and 64 KiB: a message of 1
    /// MiB fits with its envelope.
    pub body: usize,
    /// Bytes of a response that is a list; a longer one is refused with 413, and the text says
    /// which `limit` would fit. A single row is returned whatever its size. A request takes at most
    /// three times as much memory. Default 16 MiB.
    pub response: usize,
    /// Rows of one response, or `limit + offset`; more is refused with 422. Default 50,000.
    pub rows: usize,
    /// Bytes of a filter. Default 16 KiB.
    pub filter_bytes: usize,
    /// Comparisons in a filter. Default 256.
    pub filter_terms: usize,
    /// Nesting of parentheses in a filter. Default 32.
    pub filter_depth: usize,
}

impl Limits {
    /// Sets [`body`](Self::body), in bytes.
    #[must_use]
    pub fn with_body(self, body: usize) -> Self {
        Self { body, ..self }
    }

    /// Sets [`response`](Self::response), in bytes.
    #[must_use]
    pub fn with_response(self, response: usize) -> Self {
        Self { response, ..self }
    }

    /// Sets [`rows`](Self::rows).
    #[must_use]
    pub fn with_rows(self, rows: usize) -> Self {
        Self { rows, ..self }
    }

    /// Sets [`filter_bytes`](Self::filter_bytes).
    #[must_use]
    pub fn with_filter_bytes(self, filter_bytes: usize) -> Self {
        Self {
            filter_bytes,
            ..self
        }
    }

    /// Sets [`filter_terms`](Self::filter_terms).
    #[must_use]
    pub fn with_filter_terms(self, filter_terms: usize) -> Self {
        Self {
            filter_terms,
            ..self
        }
    }

    /// Sets [`filter_depth`](Self::filter_depth).
    #[must_use]
    pub fn with_filter_depth(self, filter_depth: usize) -> Self {
        Self {
            filter_depth,
            ..self
        }
    }

    pub(crate) fn filter(&self) -> FilterLimits {
        FilterLimits {
            bytes: self.filter_bytes,
            terms: self.filter_terms,
            depth: self.filter_depth,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        let filter = FilterLimits::default();
        Self {
            body: 1024 * 1024 + 64 * 1024,
            response: 16 * 1024 * 1024,
            rows: 50_000,
            filter_bytes: filter.bytes,
            filter_terms: filter.terms,
            filter_depth: filter.depth,
        }
    }
}
