//! Access decisions by the platform.

mod policy_cache;
mod question;
#[cfg(test)]
mod tests;

pub(super) use policy_cache::{Question, Watches};
pub use question::{Decision, PolicyAnswer, PolicyError, PolicyQuestion, SubscriptionPolicy};
