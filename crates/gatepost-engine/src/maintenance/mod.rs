//! What has to be done now and then: lost claims are taken back, what is old is removed, the clock
//! is watched.

mod chores;
mod gone;
#[cfg(test)]
mod tests;

pub(crate) use chores::Maintenance;
