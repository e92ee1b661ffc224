//! The limits of a request.

/// The limits of a request.
///
/// ```
/// let limits = gatepost_http::Limits::default().with_rows(1_000).with_filter_terms(32);
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// The maximum size of a request body in bytes; a larger one is refused with 413. Default 1 MiB
    /// and 64 KiB: a message of 1 MiB fits with its envelope.
    pub body: usize,
    /// The maximum size of a list response in bytes; a larger one is refused with 413, and the text
    /// contains a `limit` that would fit. A single row is returned whatever its size. A request
    /// takes at most three times as much memory. Default 16 MiB.
    pub response: usize,
    /// The maximum number of rows of a response, or of `limit + offset`; more are refused with 422.
    /// Default 50,000.
    pub rows: usize,
    /// The maximum size of a filter in bytes. Default 16 KiB.
    pub filter_bytes: usize,
    /// The maximum number of comparisons in a filter. Default 256.
    pub filter_terms: usize,
    /// The maximum nesting of parentheses in a filter. Default 32.
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
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: 1024 * 1024 + 64 * 1024,
            response: 16 * 1024 * 1024,
            rows: 50_000,
            filter_bytes: 16 * 1024,
            filter_terms: 256,
            filter_depth: 32,
        }
    }
}
