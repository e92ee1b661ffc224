#![doc = include_str!("../README.md")]

#[macro_use]
mod sql;

mod audit;
mod backup;
mod batch;
mod column;
mod config;
mod connection;
mod deliveries;
mod error;
mod files;
mod generations;
mod keys;
mod list;
mod log;
mod migrate;
mod named;
mod outbox;
mod owners;
#[cfg(test)]
mod plans;
mod queue;
mod readers;
mod realms;
mod records;
mod sessions;
mod store;
mod version;
mod watch;
mod writer;

pub use crate::config::{SqliteConfig, Synchronous};
pub use crate::store::{Commits, SqliteStore};
