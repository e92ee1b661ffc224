//! The reference store: everything in this process' memory, nothing durable.
//!
//! It is the contract in its plainest form, for tests, tools and comparison; all of it is lost when
//! the process ends.

mod audit;
mod audit_table;
#[cfg(feature = "webhooks")]
mod claims;
#[cfg(feature = "webhooks")]
mod delivery_table;
#[cfg(feature = "webhooks")]
mod ended;
#[cfg(feature = "webhooks")]
mod enqueue;
#[cfg(feature = "webhooks")]
mod figures;
#[cfg(feature = "webhooks")]
mod gone;
#[cfg(feature = "keys")]
mod key_table;
#[cfg(feature = "keys")]
mod keys;
#[cfg(feature = "webhooks")]
mod lanes;
#[cfg(feature = "webhooks")]
mod log;
#[cfg(feature = "webhooks")]
mod outbox;
#[cfg(feature = "webhooks")]
mod outbox_table;
#[cfg(feature = "webhooks")]
mod outbox_turns;
mod owner_table;
mod owners;
#[cfg(feature = "webhooks")]
mod places;
#[cfg(feature = "webhooks")]
mod queue;
#[cfg(feature = "webhooks")]
mod record_table;
#[cfg(feature = "webhooks")]
mod records;
#[cfg(feature = "webhooks")]
mod restored;
#[cfg(feature = "webhooks")]
mod retention;
#[cfg(feature = "webhooks")]
mod routes;
mod rows;
#[cfg(feature = "webhooks")]
mod seen;
#[cfg(feature = "webhooks")]
mod slot;
mod store;
#[cfg(feature = "webhooks")]
mod timed;
#[cfg(feature = "webhooks")]
mod usage;
#[cfg(feature = "webhooks")]
mod usage_table;
#[cfg(feature = "webhooks")]
mod work;

pub use store::MemoryStore;
