//! Power cuts without root: the system calls of a real run are recorded, and the disk is rebuilt in
//! a possible state after a cut at any moment.
//!
//! Synced data are there. Data written after the last sync of their file may be there in any part
//! and any order, torn at sector borders. A program that promised something before the cut must
//! keep the promise with the remaining data.

mod disk;
pub mod records;
mod trace;

pub use disk::{Disk, cut};
pub use trace::{Call, Op, parse, record};
