//! The contract tests of the queue. Each takes an empty store.

mod claim_times;
mod claims;
mod due;
mod fetched;
mod look;
mod many;
mod order;
mod together;

pub use claim_times::*;
pub use claims::*;
pub use due::*;
pub use fetched::*;
pub use many::*;
pub use order::*;
pub use together::*;
