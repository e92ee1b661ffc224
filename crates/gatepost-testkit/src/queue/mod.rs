//! The contract tests of the queue. Each takes an empty store.

mod claims;
mod due;
mod fetched;
mod lanes;
mod look;
mod many;
mod order;
mod together;

pub use claims::*;
pub use due::*;
pub use fetched::*;
pub use lanes::*;
pub use many::*;
pub use order::*;
pub use together::*;
