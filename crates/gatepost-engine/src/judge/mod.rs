//! Access and quotas: who may own, watch and receive what, by the platform's answers.
//!
//! All questions about users to the platform's code are asked here: with a guard, within five
//! seconds, and never in a transaction of the store.

mod accounts;
mod crowd;
mod failures;
mod flights;
mod hearing;
mod kept;
mod limits;
mod owners;
mod parts;
mod places;
mod quotas;
mod rule;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod watch;

pub(crate) use hearing::{Heard, Hearing};
pub(crate) use parts::{Ground, Judge};
pub(crate) use quotas::{CausedRuns, Headroom};
pub(crate) use rule::Rule;
pub use watch::{Decision, PolicyAnswer, PolicyError, PolicyQuestion, SubscriptionPolicy};
