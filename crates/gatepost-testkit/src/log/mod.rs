//! The clauses about the delivery log. Each takes a store with nothing in it.

mod changes;
mod listing;
mod look;
mod retention;

pub use changes::*;
pub use listing::*;
pub use retention::*;
