//! The contract tests of the outbox. Each takes an empty store.

mod shared;
mod turns;

pub use shared::*;
pub use turns::*;
