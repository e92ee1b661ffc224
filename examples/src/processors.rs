//! The number of processors.

use std::num::NonZero;
use std::thread::available_parallelism;

/// Returns half of them, at least 1: for work that must leave the others free.
pub(crate) fn half() -> usize {
    let all = available_parallelism().map_or(1, NonZero::get);
    (all / 2).max(1)
}
