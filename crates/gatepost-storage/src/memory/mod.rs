//! The reference store: everything in this process' memory, nothing durable.
//!
//! It is the contract in its plainest form, for tests, tools and comparison; all of it is lost when
//! the process ends.

#[cfg(feature = "keys")]
mod key_table;
#[cfg(feature = "keys")]
mod keys;
#[cfg(feature = "webhooks")]
mod log;
#[cfg(feature = "webhooks")]
mod outbox;
#[cfg(feature = "webhooks")]
mod queue;
#[cfg(feature = "webhooks")]
mod records;
mod rows;
mod store;
#[cfg(feature = "webhooks")]
mod tables;

pub use store::MemoryStore;
