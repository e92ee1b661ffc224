//! How a clause ends.

/// How a clause ends if the store does not break it; if it does, the clause panics.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Outcome {
    /// The store keeps it.
    Held,
    /// The harness cannot show it, for this reason.
    Ignored(&'static str),
}
