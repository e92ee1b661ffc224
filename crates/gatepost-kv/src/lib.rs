#![doc = include_str!("../README.md")]

mod contract;
mod error;
mod key_range;
#[cfg(feature = "kit")]
pub mod kit;
mod memory;
mod run;
mod store;
mod table;

pub use contract::{Change, Kv, Reading, Shared, Step, View, Writing};
pub use error::{BoxError, KvError};
pub use key_range::{Go, KeyRange};
pub use memory::MemoryKv;
pub use run::KvExt;
pub use store::{KvStore, MemoryStore};
pub use table::{Keys, MAX_CHANGE, MAX_KEY, MAX_VALUE, Table, number_key};
