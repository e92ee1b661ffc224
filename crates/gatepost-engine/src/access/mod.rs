//! Access and quotas: who may own, watch and receive what, by the platform's answers.
//!
//! All questions about users to the platform's code are asked here: with a guard, within five
//! seconds, and never in a transaction of the store.

mod accounts;
mod audience;
mod failures;
mod keyed_limiter;
mod limits;
mod owners;
mod parts;
mod quotas;
mod realms;
mod rule;
mod single_flight;
mod subscription_policy;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod timed_cache;

pub(crate) use audience::{Heard, Hearing};
pub(crate) use parts::{AccessParts, Authorizer};
pub(crate) use quotas::{CausedRuns, Headroom};
pub(crate) use rule::Rule;
pub use subscription_policy::{
    Decision, PolicyAnswer, PolicyError, PolicyQuestion, SubscriptionPolicy,
};
