//! The store over any ordered store.

mod audit;
mod error;
mod generations;
mod heads;
mod key;
mod keys;
mod kv_store;
mod numbers;
mod owners;
mod places;
mod record_changes;
mod records;
mod routes;
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
