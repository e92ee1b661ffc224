//! One claim: one attempt, one settlement.

mod authorization;
mod evaluation;
mod job;
mod outcome;
mod retries;
mod streaks;
#[cfg(test)]
mod tests;
mod worker;

pub(crate) use evaluation::Watch;
pub(crate) use job::{Job, Outgoing};
pub(crate) use retries::RetryPlan;
pub(crate) use worker::{REST, Worker};
