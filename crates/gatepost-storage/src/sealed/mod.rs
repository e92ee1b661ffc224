//! A store wrapper that seals the messages of deliveries and the responses of targets.

mod content;
mod forwarded;
mod store;

pub use store::SealedMessages;
