//! The store in any ordered key-value store.

mod audience_turns;
mod audit;
mod blocks;
mod claims;
mod counters;
mod deleted;
mod deliveries;
mod enqueue;
mod error;
mod generations;
mod heads;
mod key;
mod keys;
mod kv_store;
mod log;
mod numbers;
mod outbox;
mod owner_status;
mod owners;
mod queue;
mod queues;
mod realms;
mod record_changes;
mod records;
mod restored;
mod retention;
mod routes;
mod rows;
mod sessions;
mod stats;
mod tables;
mod tx;
mod version;
mod writer;

pub use self::kv_store::{KvStore, MemoryStore};
