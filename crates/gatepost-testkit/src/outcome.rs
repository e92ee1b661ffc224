//! How a clause ends, and what is said of it.

/// How a clause ends if the store does not break it; if it does, the clause panics.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// The store keeps it.
    Held,
    /// The harness cannot show it, for this reason.
    Ignored(&'static str),
}

/// What became of one clause.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Finding {
    /// The store keeps it.
    Held,
    /// The store breaks it: what was seen.
    Broken(String),
    /// Not tried, and why.
    Ignored(&'static str),
}
