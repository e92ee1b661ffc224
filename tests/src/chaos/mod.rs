//! Runs in which processes die: a child that emits and delivers, a receiver that counts, and one
//! verdict on the results.

mod child;
mod full_disk;
mod receiver;
mod run;
mod store_location;
mod verdict;
mod wire;
mod work;
mod wrong_clock;

pub use child::{Child, Mode};
pub use full_disk::{Full, FullDisk};
pub use receiver::{Counting, Seen};
pub use run::{Run, Told};
pub use store_location::{PASSWORD, Place, Store};
pub use verdict::{Evidence, Invariant, Verdict};
pub use wire::Wire;
pub use work::{CLOCK, work};
pub use wrong_clock::Wrong;

/// Returns the real time: these runs are about real processes.
pub fn now() -> chrono::DateTime<chrono::Utc> {
    gatepost_storage::Clock::now(&gatepost_storage::SystemClock)
}
