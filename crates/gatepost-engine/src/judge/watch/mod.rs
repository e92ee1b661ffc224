//! Access decisions by the platform.

mod question;
#[cfg(test)]
mod tests;
mod watches;

pub use question::{Decision, PolicyAnswer, PolicyError, PolicyQuestion, SubscriptionPolicy};
pub(super) use watches::{Question, Watches};
