//! Regular maintenance: by each process for itself, and by a leader for all.

mod chore;
mod chores;
mod claims;
mod dependencies;
mod leader;
mod leader_state;
#[cfg(test)]
mod tests;

pub(crate) use chores::PARTITIONS_AHEAD;
pub(crate) use dependencies::Maintenance;
