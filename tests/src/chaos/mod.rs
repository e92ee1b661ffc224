//! Runs in which processes die: a child that emits and delivers, a receiver that counts, and one
//! judge of what came of it.

mod child;
mod place;
mod receiver;
mod run;
mod verdict;

pub use child::{Child, Mode, work};
pub use place::{Place, Store};
pub use receiver::{Counting, Seen};
pub use run::{Run, Told};
pub use verdict::{Evidence, Invariant, Verdict};

/// These runs are about real processes: the time is the real one.
pub fn now() -> chrono::DateTime<chrono::Utc> {
    gatepost_storage::Clock::now(&gatepost_storage::SystemClock)
}
