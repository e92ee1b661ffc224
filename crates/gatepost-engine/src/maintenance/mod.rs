//! Regular maintenance: by each process for itself, and by a leader for all.

mod chore;
mod chores;
mod claims;
mod leader;
mod led;
mod part;
#[cfg(test)]
mod tests;

pub(crate) use chores::PARTITIONS_AHEAD;
pub(crate) use part::Maintenance;
