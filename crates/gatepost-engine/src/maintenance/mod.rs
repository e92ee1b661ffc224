//! What has to be done now and then: lost claims are taken back, what is old is removed, the queue
//! is counted, the clock is watched.

mod chores;
mod figures;
mod gone;
#[cfg(test)]
mod tests;

pub(crate) use chores::Maintenance;
pub(crate) use figures::{Figures, PARTITIONS_AHEAD};
