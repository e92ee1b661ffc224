//! Gatepost's storage on [redb](https://docs.rs/redb): one file, one process, each call one
//! transaction.
//!
//! Rows are JSON under their row number; beside them are the few indexes that the queue needs.
//! Every call runs on a thread that may block. A call that ends in an error commits nothing; one
//! that returned `Ok` is on the disk.

mod attempts;
mod audit;
mod claims;
mod codec;
mod counters;
mod delivery;
mod enqueue;
mod error;
mod events;
mod figures;
mod key_uses;
mod keys;
mod lanes;
mod log;
mod outbox;
mod outbox_rows;
mod owner_rows;
mod owners;
mod places;
mod purge;
mod queue;
mod records;
mod redb_store;
mod restored;
mod routes;
mod sizes;
mod stored;
mod tables;
mod tasks;
mod turns;
mod usage;
mod webhooks;
mod work;

pub(crate) use self::redb_store::RedbStore;
