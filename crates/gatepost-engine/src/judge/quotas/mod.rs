//! How much each owner may have and do, and how much of it is used.

mod drops;
mod over;
mod own_runs;
mod rates;
mod recount;
mod spans;
#[cfg(test)]
mod tests;
mod usage;

pub(super) use drops::Drops;
pub(crate) use own_runs::OwnRuns;
pub(super) use rates::Rates;
pub(crate) use usage::Room;
pub(super) use usage::Usage;
