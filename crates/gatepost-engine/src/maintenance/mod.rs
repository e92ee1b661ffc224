//! What has to be done now and then: by each process for itself, and by one that leads for all.

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
