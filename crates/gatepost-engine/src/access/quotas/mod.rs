//! Quotas of owners, and their usage.

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
pub(super) use usage::UsageBook;
