//! The number of a pepper.

use std::fmt;

/// The number of a pepper, chosen by the platform. Each record made with the pepper contains it, so
/// that peppers can be replaced.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[allow(clippy::exhaustive_structs, reason = "a number and nothing else")]
pub struct PepperId(pub u16);

impl fmt::Display for PepperId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
