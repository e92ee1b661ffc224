#![doc = include_str!("../README.md")]

#[macro_use]
mod sql;

mod audit;
mod batch;
mod change;
mod claim_cursors;
mod column;
mod config;
mod db;
mod error;
mod keys;
mod list;
mod log;
mod login;
mod migrate;
mod node;
mod notify;
mod outbox;
mod owners;
mod queue;
mod records;
mod sessions;
mod settings;
mod store;
mod tls;

pub use crate::config::PostgresConfig;
pub use crate::store::PostgresStore;
