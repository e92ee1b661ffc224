//! One claim: one attempt, one settlement.

mod authorized;
mod job;
mod outcome;
mod retries;
mod streaks;
#[cfg(test)]
mod tests;
mod watch;
mod worker;

pub(crate) use job::{Job, Outgoing};
pub(crate) use retries::RetryPlan;
pub(crate) use watch::Watch;
pub(crate) use worker::{REST, Worker};
