//! How many processors there are.

use std::num::NonZero;
use std::thread::available_parallelism;

/// Half of them, at least 1: for work of which more would leave none to others.
pub(crate) fn half() -> usize {
    let all = available_parallelism().map_or(1, NonZero::get);
    (all / 2).max(1)
}
