//! Runs in which processes die: a child that emits and delivers, a receiver that counts, and one
//! verdict on the results.

mod child;
mod full_disk;
mod place;
mod receiver;
mod run;
mod verdict;
mod wire;
mod work;
mod wrong;

pub use child::{Child, Mode};
pub use full_disk::{Full, FullDisk};
pub use place::{PASSWORD, Place, Store};
pub use receiver::{Counting, Seen};
pub use run::{Run, Told};
pub use verdict::{Evidence, Invariant, Verdict};
pub use wire::Wire;
pub use work::{CLOCK, work};
pub use wrong::Wrong;

/// Returns the real time: these runs are about real processes.
pub fn now() -> chrono::DateTime<chrono::Utc> {
    gatepost_storage::Clock::now(&gatepost_storage::SystemClock)
}
