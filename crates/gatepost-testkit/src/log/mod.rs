//! The clauses about the delivery log. Each takes a store with nothing in it.

mod changes;
mod listing;
mod look;
mod retention;
mod scopes;
mod usage;

pub use changes::*;
pub use listing::*;
pub use retention::*;
pub use scopes::*;
pub use usage::*;
