//! The contract tests of the delivery log. Each takes an empty store.

mod bodies;
mod causes;
mod counts;
mod listing;
mod lists;
pub(crate) mod look;
mod replays;
mod shown;
mod usage;

pub use bodies::*;
pub use causes::*;
pub use counts::*;
pub use listing::*;
pub use lists::*;
pub use replays::*;
pub use shown::*;
pub use usage::*;
