//! How much each owner may have and do, and how much of it is used.

mod caused_runs;
mod rates;
mod recount;
mod rejected;
#[cfg(test)]
mod tests;
mod usage;

pub(crate) use caused_runs::CausedRuns;
pub(super) use rates::Rates;
pub(super) use rejected::RejectedCounts;
pub(crate) use usage::Headroom;
pub(super) use usage::Usage;
