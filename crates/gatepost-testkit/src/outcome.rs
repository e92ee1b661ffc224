//! How a clause ends.

/// How a clause ends that the store does not break; it panics where it does.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Outcome {
    /// The store keeps it.
    Held,
    /// The harness cannot show it, for this reason.
    Ignored(&'static str),
}
