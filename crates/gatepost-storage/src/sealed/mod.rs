//! A store in front of another, which seals what deliveries carry and what targets respond.

mod content;
mod passed_on;
mod store;

pub use store::SealedMessages;
