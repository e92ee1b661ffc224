//! The contract tests of every field of every record. Each takes the harness, and opens its store
//! again if it is durable.

mod attempts;
mod audit;
mod deliveries;
mod edits;
mod events;
mod home;
mod keys;
mod outbox;
mod owners;
mod tasks;
mod webhooks;

pub use attempts::*;
pub use audit::*;
pub use deliveries::*;
pub use events::*;
pub use keys::*;
pub use outbox::*;
pub use owners::*;
pub use tasks::*;
pub use webhooks::*;
