//! Who may receive what, where the platform decides it.

mod question;
#[cfg(test)]
mod tests;
mod watches;

pub use question::{Decision, PolicyAnswer, PolicyError, PolicyQuestion, SubscriptionPolicy};
pub(super) use watches::{Question, Watches};
