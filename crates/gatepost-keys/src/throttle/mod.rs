//! Request limits of keys, and of all keys of an owner together, in this process.
//!
//! The cache entry of a key holds its buckets, so that a request is charged without a lookup and
//! without a lock; a key without a limit has none. The buckets outlive the entry: an edit does not
//! refill them.

mod bucket;
mod buckets;
mod limits;
mod meter;
mod rate_state;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use gatepost_storage::Clock;
use gatepost_storage::keys::KeyRow;
use tokio::time::Instant;

use self::buckets::Buckets;
pub use self::limits::RequestLimits;
pub(crate) use self::meter::Meter;
use self::meter::Metered;
pub use self::rate_state::{RateOf, RateState};

/// The buckets of a process.
#[derive(Debug)]
pub(crate) struct Throttle {
    pub(crate) limits: RequestLimits,
    clock: Arc<dyn Clock>,
    began: Instant,
    keys: Buckets,
    owners: Buckets,
}

impl Throttle {
    pub(crate) fn new(limits: RequestLimits, clock: Arc<dyn Clock>) -> Self {
        Self {
            limits,
            clock,
            began: Instant::now(),
            keys: Buckets::default(),
            owners: Buckets::default(),
        }
    }

    /// Returns the meter for the requests of this key; `None` if nothing limits them.
    pub(crate) fn meter(&self, row: &KeyRow) -> Option<Arc<Meter>> {
        let of = |limit, buckets: &Buckets, id| Metered {
            limit,
            bucket: buckets.of(id, self.now()),
        };
        let key = self.limits.of_key(row.key.limit);
        let key = key.map(|limit| of(limit, &self.keys, row.id.0.cast_unsigned().into()));
        let owner = self.limits.per_owner;
        let owner = owner.map(|limit| of(limit, &self.owners, row.key.owner.0));
        Meter::of(key, owner).map(Arc::new)
    }

    /// Returns the time by which buckets refill, unaffected by setting the clock.
    pub(crate) fn now(&self) -> Duration {
        let passed = self.clock.passed();
        passed.unwrap_or_else(|| self.began.elapsed())
    }
}
