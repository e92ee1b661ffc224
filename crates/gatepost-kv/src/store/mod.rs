//! The store over any ordered store.

mod audit;
mod error;
mod generations;
mod key;
mod keys;
mod kv_store;
mod numbers;
mod owners;
mod rows;
mod tables;
mod tx;
mod writer;

use chrono::{DateTime, SubsecRound as _, Utc};

pub use self::kv_store::KvStore;

/// A time as it is kept: cut to the microsecond.
fn micros(time: DateTime<Utc>) -> DateTime<Utc> {
    time.trunc_subsecs(6)
}
