//! The store in any ordered key-value store.

mod audit;
mod blocks;
mod claims;
mod counters;
mod deliveries;
mod enqueue;
mod error;
mod figures;
mod generations;
mod gone;
mod heads;
mod key;
mod keys;
mod kv_store;
mod lanes;
mod log;
mod numbers;
mod outbox;
mod owners;
mod places;
mod queue;
mod record_changes;
mod records;
mod restored;
mod retention;
mod routes;
mod rows;
mod sessions;
mod standing;
mod tables;
mod turns;
mod tx;
mod version;
mod writer;

pub use self::kv_store::{KvStore, MemoryStore};
