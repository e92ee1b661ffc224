//! A clock that is wrong.

use std::sync::atomic::{AtomicI64, Ordering};

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::{Clock, SystemClock};

/// The machine's clock, wrong by this number of seconds.
#[derive(Debug, Default)]
pub struct Wrong(pub AtomicI64);

impl Clock for Wrong {
    fn now(&self) -> DateTime<Utc> {
        SystemClock.now() + TimeDelta::seconds(self.0.load(Ordering::SeqCst))
    }
}
