//! The contract tests of the queue. Each takes an empty store.

mod basis;
mod claims;
mod due;
mod enqueue;
mod fence;
mod fetched;
mod heads;
mod lanes;
mod look;
mod many;
mod order;
mod together;

pub use basis::*;
pub use claims::*;
pub use due::*;
pub use enqueue::*;
pub use fence::*;
pub use fetched::*;
pub use heads::*;
pub use lanes::*;
pub use many::*;
pub use order::*;
pub use together::*;
