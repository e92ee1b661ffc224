//! The contract tests of owners and their realms. Each takes an empty store.

mod gone;
mod held;
mod moved;
mod places;
mod restored;

pub use gone::*;
pub use held::*;
pub use moved::*;
pub use places::*;
pub use restored::*;
