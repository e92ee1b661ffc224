//! The clauses about owners and their places. Each takes a store with nothing in it.

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
