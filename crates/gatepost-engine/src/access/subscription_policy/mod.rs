//! Access decisions by the platform.

mod policy_cache;
mod question;
#[cfg(test)]
mod tests;

pub(super) use policy_cache::{PolicyCache, Question};
pub use question::{Decision, PolicyAnswer, PolicyError, PolicyQuestion, SubscriptionPolicy};
