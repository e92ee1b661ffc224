//! The contract tests of owners and their realms. Each takes an empty store.

mod gone;
mod places;
mod restored;

pub use gone::*;
pub use places::*;
pub use restored::*;
