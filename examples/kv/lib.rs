//! Adapters of gatepost-kv, each of which is one file to copy, and the tests of all of them.

pub mod fjall;
pub mod mariadb;
pub mod redb;

#[cfg(test)]
mod stores;
