//! A store that fails on command, to test the program that uses it.
//!
//! ```
//! use std::sync::Arc;
//! use apikey_core::KeyId;
//! use gatepost_kv::MemoryStore;
//! use gatepost_storage::KeyStore;
//! use gatepost_testkit::fault::{Fault, FaultStore};
//! # gatepost_testkit::block_on(async {
//! let store = FaultStore::new(Arc::new(MemoryStore::new()));
//! store.fail("find_key", 2, Fault::Refused);
//! assert!(store.key(KeyId(1)).await.is_ok());
//! assert!(store.key(KeyId(1)).await.unwrap_err().is_transient());
//! assert!(store.key(KeyId(1)).await.is_ok());
//! # });
//! ```

mod gate;
mod records;
mod store;
mod traits;
mod unreadable;

pub use gate::{Gate, When};
pub use store::{Fault, FaultStore, Passing};
