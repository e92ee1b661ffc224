//! The clauses about the queue. Each takes a store with nothing in it.

mod basis;
mod claims;
mod enqueue;
mod lanes;
mod look;
mod many;
mod order;

pub use basis::*;
pub use claims::*;
pub use enqueue::*;
pub use lanes::*;
pub use many::*;
pub use order::*;
