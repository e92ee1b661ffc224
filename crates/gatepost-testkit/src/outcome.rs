//! The outcome of a contract test, and the finding in a report.

/// The outcome of a contract test that the store passes; if the store breaks it, the test panics.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// The store passes it.
    Held,
    /// The harness cannot show it, for this reason.
    Ignored(&'static str),
}

/// The result of one contract test.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Finding {
    /// The store passes it.
    Held,
    /// The store breaks it, with the observed result.
    Broken(String),
    /// Not run, for this reason.
    Ignored(&'static str),
}
